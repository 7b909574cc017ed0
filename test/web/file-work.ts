import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Sql } from '../../core/postgres/database'
import { createIngestRunner, createPreviewRunner } from '../../src/work/ingest-runner'
import { createLoadRunner } from '../../src/work/load-runner'
import { createWorkLoop } from '../../src/work/work-loop'

/** Does queued work on files and loads, as a worker of the service does, until the tests of the file are over. */
export const startFileWorker = (sql: Sql, databaseUrl: string): void => {
  const log = pino({ level: 'silent' })
  const workDir = mkdtempSync(join(tmpdir(), 'file-work-'))
  const deps = {
    ...{ databaseUrl, workDir, log, userAgent: 'test', allowPrivateSources: true },
    portals: { approach: async () => {}, heed: () => {} },
  }
  const runners = [createIngestRunner(deps), createPreviewRunner(deps), createLoadRunner({ log })]
  const loop = createWorkLoop({ sql, log, runners, pollMs: 100 })
  loop.start()
  afterAll(async () => {
    await loop.stop()
    rmSync(workDir, { recursive: true })
  })
}

const square = (index: number, count: number, [left, bottom]: readonly [number, number]): number[][] => {
  const side = Math.ceil(Math.sqrt(count))
  const [west, south] = [left + (index % side) * 0.001, bottom + Math.floor(index / side) * 0.001]
  const [east, north] = [west + 0.0009, south + 0.0009]
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}

/**
 * A county's file of parcels, as GeoJSON with the columns of an assessor. `change` changes the values of a row. Lots are north and east of
 * `corner`.
 */
export const countyFile = (
  rows: number,
  change: (properties: Record<string, unknown>, index: number) => Record<string, unknown> = (properties) => properties,
  corner: readonly [lon: number, lat: number] = [-120.5, 45.2],
): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: Array.from({ length: rows }, (_, index) => ({
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [square(index, rows, corner)] },
      properties: change(
        {
          ...{
            APN: `12-${String(index).padStart(4, '0')}`,
            OWNER1: `ALDER ROSE ${index}`,
            SITUS: `${100 + index} JUNIPER LN`,
          },
          ...{ SITUS_CITY: 'MARLOW', LAND_VAL: 40_000 + index * 100, FIRE_DIST: `F-${index % 4}` },
        },
        index,
      ),
    })),
  })
