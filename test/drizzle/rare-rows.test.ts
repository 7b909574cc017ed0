import { expect, test } from 'bun:test'
import { endExportsOf, listExports } from '../../drizzle/queries/exports/exports'
import { listAllFindings } from '../../drizzle/queries/findings/findings'
import { listParcelIds } from '../../drizzle/queries/parcels/list-parcel-ids'
import { listDeliveries } from '../../drizzle/queries/watches/deliveries'
import { listWork } from '../../drizzle/queries/work/list-work'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../support/servers'
import { countRowsRead } from './rows-read'

/* Lists with a filter that few of many rows meet read about as many rows as they return. */
const { sql } = await createTestDatabase()
const PARCELS = 20_000
for (const source of ['first', 'second']) await insertCounty(sql, source)
await sql.begin(async (tx) => {
  await tx`set local session_replication_role = replica`
  await tx`
    insert into parcels (source, source_parcel_id)
    select case when n < ${PARCELS / 2} then 'first' else 'second' end, 'P' || n
    from generate_series(1, ${PARCELS}) n order by n`
})
await sql`
  insert into findings (id, parcel_id, rule, subject, severity, category, evidence, suggested_action)
  select uuidv7(row_number() over (order by id) * interval '1 ms'), id, 'r', '', 'low', 'tax', '{}', 'Check.' from parcels`
await sql`
  insert into finding_dismissals (parcel_id, rule, subject, evidence_hash, reason, dismissed_by)
  select parcel_id, rule, subject, md5(evidence::text), 'known', 'ada' from findings order by id offset 5`
await sql`analyze parcels, findings, finding_dismissals`

const first = { after: null, limit: 101 }
const readsOf = async (query: PromiseLike<readonly unknown[]>, again: PromiseLike<unknown>, table: string) => ({
  rows: (await query).length,
  read: await countRowsRead(sql, again, table),
})

for (const filter of [{}, { severity: 'low' }, { category: 'tax' }, { source: 'first' }] as const) {
  test(`open findings with ${JSON.stringify(filter)} are found without reading dismissed ones`, async () => {
    const wanted = { dismissed: 'false', severity: null, category: null, source: null, ...first, ...filter } as const
    const list = () => listAllFindings(sql, wanted)
    // A finding is read when it is chosen.
    expect(await readsOf(list(), list(), 'findings')).toEqual({ rows: 5, read: 5 })
  })
}

test('exports of a caller, failed work and failed deliveries are found without reading others', async () => {
  await sql`
    insert into work (id, kind, status, ordering_key, started_at, finished_at)
    select uuidv7(n * interval '1 ms'), 'export', 'done', 'ada', now(), now() from generate_series(1, ${PARCELS}) n`
  await sql`
    insert into work (kind, status, ordering_key, started_at, finished_at)
    values ('export', 'done', 'bo', now(), now()), ('crawl', 'error', null, now(), now())`
  const [watch] = await sql<{ id: string }[]>`
    insert into watches (owner, created_by, kind, source, after_version) values (uuidv7(), 'ada', 'source', 'first', 0) returning id`
  const id = watch?.id ?? ''
  await sql`
    insert into webhook_deliveries (watch_id, version, status)
    select ${id}, n, case when n = 1 then 'failed' else 'delivered' end from generate_series(1, ${PARCELS}) n`
  await sql`analyze work, webhook_deliveries`

  const exports = () => listExports(sql, 'bo', first)
  expect(await readsOf(exports(), exports(), 'work')).toEqual({ rows: 1, read: 1 })
  const failed = () => listWork(sql, { status: 'error' }, first)
  expect(await readsOf(failed(), failed(), 'work')).toEqual({ rows: 1, read: 1 })
  const failedOfKind = () => listWork(sql, { kind: 'export', status: 'error' }, first)
  expect(await readsOf(failedOfKind(), failedOfKind(), 'work')).toEqual({ rows: 0, read: 0 })
  const deliveries = () => listDeliveries(sql, id, { status: 'failed', ...first })
  expect(await readsOf(deliveries(), deliveries(), 'webhook_deliveries')).toEqual({ rows: 1, read: 1 })
})

test('ending the exports of a caller leaves those that have expired as they are', async () => {
  await sql`
    insert into work (kind, status, ordering_key, started_at, finished_at)
    select 'export', status::job_status, 'eve', now() - interval '30 days', now() - days * interval '1 day'
    from (values ('done', 1), ('done', 8), ('error', 1)) as ended (status, days)`
  await sql`insert into work (kind, ordering_key) values ('export', 'eve')`
  await endExportsOf(sql, 'eve', 'its account was removed')
  const ended = await sql`
    select status, error_message as message, finished_at > now() - interval '1 minute' as is_new from work
    where ordering_key = 'eve' order by id`
  expect(ended.map(({ status, message, is_new }) => [status, message, is_new])).toEqual([
    ['error', 'its account was removed', true],
    ['done', null, false],
    ['error', null, false],
    ['error', 'its account was removed', true],
  ])
})

test('a page of the ids of a source reads only that page', async () => {
  const list = () => listParcelIds(sql, { source: 'first', after: 'P5', limit: 100 })
  expect(await readsOf(list(), list(), 'parcels')).toEqual({ rows: 100, read: 100 })
})
