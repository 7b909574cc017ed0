import type { LatencyWindow } from '../../core/observe/latency-window'
import { parcelFields } from '../../core/parcels/fields'
import type { Reader, Reads } from '../../core/postgres/replicas/reads'
import { type SourceFigures, type SourceState, sourceState } from '../../core/sources/source-state'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { type CoverageRow, listCoverage } from '../../drizzle/queries/coverage/list-coverage'
import { listSourceHealth } from '../../drizzle/queries/sources/source-health'
import type { Cadence } from '../../drizzle/schema/values'
import { isStale } from '../scrape/review/rules/stale-data'

/** The fields that have a fill rate: those of a parcel, and its boundary. */
export const COVERED_FIELDS = [...parcelFields.map(({ name }) => name), 'geom'] as const

/** The service's data about each county, for callers without a key. Names and addresses of portals stay private. */
export interface Coverage {
  dataset_version: number
  generated_at: string
  api: { requests: number; p50_ms: number | null; p95_ms: number | null }
  count: number
  sources: CountyCoverage[]
}

interface CountyCoverage {
  source: string
  state: string
  county_name: string
  status: SourceState
  parcels: number
  retired: number
  /** Null: there are no parcels. */
  fill_rates: Record<string, number> | null
  bbox: [number, number, number, number] | null
  last_refresh_at: string | null
  data_as_of: string | null
  data_is_stale: boolean
  changes_30d: number
  counted_at: string | null
}

type Health = SourceFigures & { source: string; cadence: Cadence }

/** Reads only tallies, so the time does not depend on the number of parcels. Inactive sources without parcels are left out. */
export const readCoverage = async (reads: Reads, reader: Reader, latency: LatencyWindow): Promise<Coverage> => {
  const [version, rows, health] = await reads.run(reader, (db, version) =>
    Promise.all([version ?? readWatermark(db), listCoverage(db), listSourceHealth(db, { after: null, limit: null })]),
  )
  const now = new Date()
  const healthOf = new Map(health.map(({ source, body }) => [source, JSON.parse(body) as Health]))
  const sources = rows.flatMap((row) => {
    const figures = healthOf.get(row.source)
    if (figures === undefined || (!row.active && (row.parcels ?? 0) + (row.retired ?? 0) === 0)) return []
    return describe(row, figures, now)
  })
  const { requests, p50, p95 } = latency.read()
  return {
    dataset_version: version,
    generated_at: now.toISOString(),
    api: { requests, p50_ms: p50, p95_ms: p95 },
    count: sources.length,
    sources,
  }
}

const describe = (row: CoverageRow, health: Health, now: Date): CountyCoverage => ({
  source: row.source,
  state: row.state,
  county_name: row.countyName,
  status: sourceState(health, now.getTime()),
  parcels: row.parcels ?? 0,
  retired: row.retired ?? 0,
  fill_rates: fillRates(row),
  bbox: row.bbox,
  last_refresh_at: row.lastRefreshAt,
  data_as_of: row.dataAsOf,
  data_is_stale: row.dataAsOf !== null && isStale(row.dataAsOf, health.cadence, now),
  changes_30d: row.changes30d,
  counted_at: row.countedAt,
})

const fillRates = ({ parcels, filled }: CoverageRow): Record<string, number> | null => {
  if (filled === null || parcels === null || parcels === 0) return null
  return Object.fromEntries(
    COVERED_FIELDS.map((field) => [field, Math.round(((filled[field] ?? 0) / parcels) * 1_000) / 1_000]),
  )
}
