import { afterAll, expect, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { compactChanges } from '../../drizzle/queries/changes/compact-changes'
import { findFormerParcel } from '../../drizzle/queries/changes/find-former-parcel'
import { findVersionBefore } from '../../drizzle/queries/changes/find-version-before'
import { listFormerParcels } from '../../drizzle/queries/changes/list-former-parcels'
import { listFeatures } from '../../drizzle/queries/parcels/list-features'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createTestDatabase, waitFor } from '../support/servers'

const { sql, url } = await createTestDatabase()
await sql`insert into sources (source, state, county_name, vendor, base_url) values ('elm', 'OR', 'Elm', 'file', '')`
const others = connectDatabase(url, { max: 2 })
afterAll(() => others.end())

const YEAR = new Date().getUTCFullYear() - 3
const ASKED = `${YEAR}-01-15T00:00:00Z`

/** Every kind of read of the former values of parcels, and of the beginning of the log at a time. */
const reads = {
  version: () => findVersionBefore(sql, ASKED),
  parcel: async () => (await findFormerParcel(sql, { source: 'elm', id: '1' }, ASKED))?.body,
  box: async () =>
    (
      await listFormerParcels(
        sql,
        [[-121, 43, -119, 45]],
        { source: null, after: null, limit: 10, withRetired: false },
        ASKED,
      )
    ).rows,
  features: async () =>
    (await listFeatures(sql, { source: 'elm', boxes: [], condition: null, asOf: ASKED }, { after: null, limit: 10 }))
      .rows,
}
const readAll = async () =>
  Object.fromEntries(await Promise.all(Object.entries(reads).map(async ([name, read]) => [name, await read()])))

test('readers that wait while one table replaces the months of a year read what they read before', async () => {
  for (let month = 1; month <= 12; month++) {
    const [from, to] = [new Date(Date.UTC(YEAR, month - 1)), new Date(Date.UTC(YEAR, month))]
    await sql.unsafe(`create table parcel_changes_${YEAR}_${String(month).padStart(2, '0')} partition of parcel_changes
      for values from ('${from.toISOString()}') to ('${to.toISOString()}')`)
  }
  for (const ownerName of ['A', 'B', 'C', 'D'])
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '1', ownerName, lon: -120, lat: 44 }], {
      cause: 'ingest',
      id: null,
    })
  // A on January 1, B on February 1, C on March 1, D today.
  await sql`update parcel_changes set at = make_timestamptz(${YEAR}, version::int, 1, 0, 0, 0, 'UTC') where version <= 3`
  // The readers' connections have prepared their statements.
  for (let round = 0; round < 8; round++) await readAll()
  const before = await readAll()
  expect(before).toMatchObject({ version: 1, parcel: expect.stringContaining('"owner_name":"A"') })

  const [replaced, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const compaction = others.begin(async (tx) => {
    await compactChanges(tx, YEAR)
    replaced.resolve()
    await release.promise
  })
  await replaced.promise
  const during = readAll()
  await waitFor(async () => {
    const waiting = await others`select from pg_locks where not granted and relation = 'parcel_changes'::regclass`
    return waiting.length === Object.keys(reads).length
  })
  release.resolve()
  await compaction
  // The year has one change of the owner left.
  const { version, ...values } = await during
  expect(version).toBe(2)
  expect(await readAll()).toEqual({ version, ...values })
})
