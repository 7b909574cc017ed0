import { expect, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { listOutbox } from '../../drizzle/queries/search/search-outbox'
import { createTestDatabase } from '../support/servers'

const { sql, url } = await createTestDatabase()
await sql`
  insert into search_outbox (kind, id, seq)
  select 'parcel', uuidv7(), n from generate_series(99990, 100020) as n`

test('changes are listed in the order of their numbers, also past 99,999', async () => {
  const rows = await listOutbox(sql, null, { after: '99995', inFlight: [], limit: 8 })
  expect(rows.map(({ seq }) => Number(seq))).toEqual([99996, 99997, 99998, 99999, 100000, 100001, 100002, 100003])
})

test('changes that are being sent are left out', async () => {
  const rows = await listOutbox(sql, null, { after: '0', inFlight: ['99990', '99992', '100001'], limit: 3 })
  expect(rows.map(({ seq }) => Number(seq))).toEqual([99991, 99993, 99994])
})

test('with many changes waiting and many being sent, a page is read from the index of numbers, with any cached plan', async () => {
  await sql`
    insert into search_outbox (kind, id, seq)
    select 'parcel', uuidv7(), n from generate_series(200001, 250000) as n`
  await sql`analyze search_outbox`
  const inFlight = Array.from({ length: 20_000 }, (_, n) => String(200_001 + n))
  const one = connectDatabase(url, { max: 1 })
  const countScans = async () => {
    await one`select pg_stat_force_next_flush()`
    const [row] = await one<{ scans: number }[]>`
      select seq_scan::int as scans from pg_stat_user_tables where relname = 'search_outbox'`
    return row?.scans
  }
  const scans = await countScans()
  // From its sixth run on, a prepared statement may have a generic plan.
  for (let run = 0; run < 7; run++) {
    const rows = await listOutbox(one, null, { after: '200000', inFlight, limit: 100 })
    expect([rows[0]?.seq, rows.length]).toEqual(['220001', 100])
  }
  expect(await countScans()).toBe(scans)
  await one.end()
})
