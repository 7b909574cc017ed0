import { expect, test } from 'bun:test'
import { MAX_CHANGES_BYTES } from '../../../../drizzle/queries/changes/cut-changes'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)
await upsertParcels(sql, 'elm', [{ sourceParcelId: 'tower' }])

/** Accounts that differ from those of all other rounds, and that do not compress well. */
const accountsOf = (round: number) =>
  Array.from({ length: 1_000 }, (_, unit) => ({
    account: `${round}-${unit}`,
    owner_name: new Bun.CryptoHasher('sha256').update(`${round} ${unit}`).digest('hex'),
  }))
const ROUNDS = 20
for (let round = 0; round < ROUNDS; round++) {
  await sql`update parcels set accounts = ${sql.json(accountsOf(round))} where source_parcel_id = 'tower'`
}
const [stored] = await sql<{ bytes: number }[]>`select sum(pg_column_size(changes))::int as bytes from parcel_changes`

interface Page {
  changes: { version: number }[]
  next: number | null
  watermark?: number
}

test.each([
  ['the log', '/v1/changes?limit=1000', ({ next, watermark }: Page) => (next === watermark ? null : next)],
  [
    'the log of a source',
    '/v1/changes?limit=1000&source=elm',
    ({ next, watermark }: Page) => (next === watermark ? null : next),
  ],
  ['the history of a parcel', '/v1/parcels/elm/tower/history?limit=500', ({ next }: Page) => next],
])('%s: large changes make pages shorter, and each change is listed once', async (_, path, nextOf) => {
  expect(stored?.bytes).toBeGreaterThan(1.2 * MAX_CHANGES_BYTES)
  const seen: number[] = []
  let pages = 0
  let after: number | null = null
  do {
    const url: string = after === null ? path : `${path}&after=${after}`
    const { status, body } = await call(url)
    expect(status, body.error).toBe(200)
    seen.push(...body.changes.map(({ version }: { version: number }) => version))
    after = nextOf(body)
    pages++
  } while (after !== null)
  expect(pages).toBeGreaterThan(1)
  expect(seen).toHaveLength(ROUNDS + 1)
  expect(new Set(seen).size).toBe(ROUNDS + 1)
})
