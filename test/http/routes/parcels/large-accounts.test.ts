import { expect, test } from 'bun:test'
import { MAX_PAGE_BYTES } from '../../../../drizzle/queries/parcels/list-parcels'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)

/** Buildings with thousands of units, in one place. The names do not compress well. */
const TOWERS = 20
await sql`
  insert into parcels (source, source_parcel_id, lon, lat, accounts)
  select 'elm', n::text, 0.5, 0.5, (
    select jsonb_agg(jsonb_build_object('account', unit::text, 'owner_name', md5(n::text || unit) || md5(unit::text)))
    from generate_series(1, 10000) unit
  ) from generate_series(1, ${TOWERS}::int) n`
const [stored] = await sql<{ bytes: number }[]>`select sum(pg_column_size(accounts))::int as bytes from parcels`

test.each([
  ['a source', (after: string) => call(`/v1/parcels?source=elm&fields=accounts${after}`)],
  ['a box', (after: string) => call(`/v1/parcels?bbox=0,0,1,1&fields=accounts${after}`)],
  ['a distance', (after: string) => call(`/v1/parcels?near=0.5,0.5&within=1km&fields=accounts${after}`)],
])('%s: large accounts make pages shorter, and all parcels are listed', async (_, read) => {
  expect(stored?.bytes).toBeGreaterThan(1.2 * MAX_PAGE_BYTES)
  const seen: string[] = []
  let pages = 0
  for (let after: string | null = ''; after !== null; pages++) {
    const { status, body } = await read(after === '' ? '' : `&after=${encodeURIComponent(after)}`)
    expect(status, body.error).toBe(200)
    seen.push(...body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id))
    after = body.next
  }
  expect(pages).toBeGreaterThan(1)
  expect(seen.toSorted()).toEqual(Array.from({ length: TOWERS }, (_, index) => `${index + 1}`).toSorted())
})
