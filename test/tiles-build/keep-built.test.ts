import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPublishedTiles } from '../../drizzle/queries/tile-builds'
import { seedSampleCounty } from '../../drizzle/seed/sample-county'
import type { BuildResult } from '../../tiles-build/build'
import { isBuildDue, keepTilesBuilt } from '../../tiles-build/keep-built'
import { createTileStore } from '../../tiles-build/tile-store'
import { createTestDatabase, waitFor } from '../servers'

const dir = mkdtempSync(join(tmpdir(), 'tiles-kept-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const { sql, url } = await createTestDatabase()

const HOUR_MS = 3_600_000
test.each([
  ['at once, whatever is there', 0, Number.POSITIVE_INFINITY, true],
  ['not for a few changes', 999, HOUR_MS, false],
  ['for many, ten minutes after the last', 1_000, HOUR_MS / 6, true],
  ['not sooner', 1_000_000, HOUR_MS / 7, false],
  ['a day after the last', 0, 24 * HOUR_MS, true],
])('a build is due %s', (_, changes, sinceLastMs, due) => expect(isBuildDue(changes, sinceLastMs)).toBe(due))

test('an empty table is no failure; once there are parcels they are built, and the archive outlives the role', async () => {
  const built: BuildResult[] = []
  const failed: Error[] = []
  const kept = keepTilesBuilt({
    ...{ databaseUrl: url, workDir: join(dir, 'work'), store: createTileStore(join(dir, 'store')) },
    onBuilt: (result) => built.push(result),
    onFailed: (error) => failed.push(error),
    checkEveryMs: 20,
  })
  // It has looked, and found nothing to do.
  await waitFor(
    async () =>
      (
        await sql`select from pg_stat_activity where application_name = 'tiles' and query like '%exists (select from parcels%' and datname = current_database()`
      ).length > 0,
  )
  await seedSampleCounty(sql, { parcels: 200, entities: 0 })
  await waitFor(() => built.length > 0)
  await kept.stop()
  expect(failed).toEqual([])
  expect(await sql`select from tile_builds where status <> 'published'`).toHaveLength(0)
  expect(built).toHaveLength(1)
  expect((await findPublishedTiles(sql, 'parcels'))?.hash).toBe(built[0]?.hash as string)
  expect(readdirSync(join(dir, 'work'))).toEqual([])
})

test('a build that is stopped publishes nothing and leaves nothing', async () => {
  const before = await findPublishedTiles(sql, 'parcels')
  await sql`update parcels set owner_name = 'SOMEONE ELSE'`
  const kept = keepTilesBuilt({
    ...{ databaseUrl: url, workDir: join(dir, 'work'), store: createTileStore(join(dir, 'store')) },
    onBuilt: () => {},
    onFailed: () => {},
  })
  await waitFor(async () => (await sql`select from tile_builds where status = 'building'`).length > 0)
  await kept.stop()
  expect(await findPublishedTiles(sql, 'parcels')).toEqual(before)
  expect(readdirSync(join(dir, 'work'))).toEqual([])
})
