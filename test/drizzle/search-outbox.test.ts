import { expect, test } from 'bun:test'
import { connectDatabase, type Transaction } from '../../core/postgres/database'
import { ALL_STATES } from '../../core/state-set'
import { deleteFromOutbox, deleteFromOutboxUpTo, listOutbox } from '../../drizzle/queries/search/search-outbox'
import { routeChanges } from '../../drizzle/queries/search/search-queues'
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

test('thousands of changes are deleted and routed quickly, also if the planner takes the queues to be empty', async () => {
  const fill = () => sql`
    with made as (select 'parcel'::document_kind as kind, uuidv7() as id, n as seq from generate_series(300001, 320000) as n),
      instance as (insert into search_instance_outbox (instance, kind, id, seq, changed_at) select 'a', kind, id, seq, now() from made)
    insert into search_outbox (kind, id, seq) select kind, id, seq from made`
  for (const table of ['search_outbox', 'search_instance_outbox']) {
    await sql`alter table ${sql(table)} set (autovacuum_enabled = off)`
    await sql`delete from ${sql(table)}`
  }
  await fill()
  for (const table of ['search_outbox', 'search_instance_outbox']) {
    await sql`delete from ${sql(table)}`
    await sql`vacuum (truncate off) ${sql(table)}`
  }
  await fill()
  const seqs = Array.from({ length: 6_000 }, (_, n) => String(300_001 + n))
  const [mark = ''] = seqs.slice(-1)
  for (const queue of [null, 'a']) {
    const quickly = <Result>(run: (tx: Transaction) => Promise<Result>) =>
      sql.begin(async (tx) => {
        await tx`set local statement_timeout = '5s'`
        return run(tx)
      })
    expect(await quickly((tx) => deleteFromOutbox(tx, queue, seqs.slice(0, 5_000)))).toBe(5_000)
    expect(await quickly((tx) => deleteFromOutboxUpTo(tx, queue, mark, 50_000))).toBe(1_000)
    if (queue === null)
      expect(await quickly((tx) => routeChanges(tx, [{ name: 'b', states: ALL_STATES }], 5_000))).toBe(5_000)
  }
})

test('a change of any value of a company that its document has is sent, and no other change', async () => {
  const [entity] = await sql`
    insert into entities (jurisdiction, registry_number, name) values ('OR', 'R1', 'Larkspur LLC') returning id`
  const isSent = async (change: object) => {
    await sql`delete from search_outbox`
    await sql`update entities set ${sql({ ...change })} where id = ${entity?.id}`
    return (await sql`select from search_outbox where kind = 'entity' and id = ${entity?.id}`).length === 1
  }
  for (const change of [
    { jurisdiction: 'WA' },
    { registry_number: 'R2' },
    { name: 'Larkspur Farms LLC' },
    { entity_type: 'LLC' },
    { status: 'active' },
    { registered_agent_name: 'ADA FIR' },
    { linked_parcel_count: 7 },
  ])
    expect([change, await isSent(change)]).toEqual([change, true])
  expect(await isSent({ updated_at: '2026-01-02T03:04:05.678Z' })).toBe(false)
})

test('if the state or county name of a source changes, its listed parcels are sent, and those of no other source', async () => {
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('elm', 'OR', 'Elm', 'arcgis-rest', ''), ('oak', 'OR', 'Oak', 'arcgis-rest', '')`
  await sql`
    insert into parcels (source, source_parcel_id, retired_at) values ('elm', '1', null), ('elm', '2', now()), ('oak', '1', null)`
  const listSent = async (change: object) => {
    await sql`delete from search_outbox`
    await sql`update sources set ${sql({ ...change })} where source = 'elm'`
    const rows = await sql`
      select p.source, p.source_parcel_id as id, o.moved from search_outbox o join parcels p using (id) where o.kind = 'parcel'`
    return rows.map(({ source, id, moved }) => [source, id, moved])
  }
  for (const change of [{ state: 'WA' }, { county_name: 'Alder' }])
    expect([change, await listSent(change)]).toEqual([change, [['elm', '1', true]]])
  expect(await listSent({ active: true })).toEqual([])
})
