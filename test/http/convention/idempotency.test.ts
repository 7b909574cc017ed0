import { expect, test } from 'bun:test'
import { MOST_IDEMPOTENCY_KEYS } from '../../../core/bounds'
import { deleteOldIdempotencyKeys } from '../../../drizzle/queries/service/idempotency-keys'
import { issueKey } from '../../../src/people/issue-key'
import { waitFor } from '../../support/servers'
import { createTestApp, insertCounty } from '../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)

const order = (parcel: string, idempotencyKey: string, key?: string) =>
  call('/v1/scrape-jobs', {
    method: 'POST',
    body: { source: 'elm', source_parcel_id: parcel },
    headers: { 'idempotency-key': idempotencyKey },
    ...(key === undefined ? {} : { key }),
  })
const finishJobs = () => sql`update scrape_jobs set status = 'done'`
const countJobs = async () => (await sql`select 1 from scrape_jobs`).count

test('a repeated request gets the first response and has no second effect', async () => {
  const first = await order('1', 'order-1')
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  await finishJobs()
  const again = await order('1', 'order-1')
  expect(again).toMatchObject({ status: 200, body: first.body })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await countJobs()).toBe(1)
  // The path without /v1 is the same request.
  const unversioned = await call('/scrape-jobs', {
    method: 'POST',
    body: { source: 'elm', source_parcel_id: '1' },
    headers: { 'idempotency-key': 'order-1' },
  })
  expect(unversioned.body).toEqual(first.body)
})

test('the same key with another body, or on another route, is 422', async () => {
  await order('2', 'order-2')
  expect(await order('3', 'order-2')).toMatchObject({
    status: 422,
    body: { error: 'this Idempotency-Key was used for a different request: choose a new one' },
  })
  const elsewhere = await call('/v1/admin/concurrency/run-tuner', {
    method: 'POST',
    headers: { 'idempotency-key': 'order-2' },
  })
  expect(elsewhere.status).toBe(422)
})

test('two callers may use the same key', async () => {
  const { key } = await issueKey(sql, { name: 'partner', capabilities: ['enqueue'] })
  await order('4', 'mine')
  expect((await order('5', 'mine', key)).headers.get('idempotent-replayed')).toBeNull()
})

test('if requests with one key arrive in parallel, one runs; the others get 409 or its response', async () => {
  await finishJobs()
  const before = await countJobs()
  const answers = await Promise.all(Array.from({ length: 20 }, () => order('6', 'at-once')))
  const carriedOut = answers.filter(
    ({ status, headers }) => status === 200 && headers.get('idempotent-replayed') === null,
  )
  expect(carriedOut).toHaveLength(1)
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  expect(await countJobs()).toBe(before + 1)
})

test('a failed request had no effect and can be retried with the same key', async () => {
  const unknown = () =>
    call('/v1/scrape-jobs', {
      method: 'POST',
      body: { source: 'ash', source_parcel_id: '1' },
      headers: { 'idempotency-key': 'failed' },
    })
  expect((await unknown()).status).toBe(404)
  await waitFor(async () => (await sql`select 1 from idempotency_keys where idempotency_key = 'failed'`).count === 0)
  await insertCounty(sql, 'ash')
  expect((await unknown()).status).toBe(200)
})

test('a request whose response cannot be stored has no effect; its repeat runs once', async () => {
  await finishJobs()
  const before = await countJobs()
  await sql`
    create function lose() returns trigger language plpgsql as $$ begin raise 'the answer is lost' using errcode = '57P01'; end $$`
  await sql`
    create trigger lose before insert or update on idempotency_keys for each row
      when (new.status is not null) execute function lose()`
  expect((await order('9', 'lost')).status).toBe(503)
  expect(await countJobs()).toBe(before)
  await sql`drop trigger lose on idempotency_keys`
  expect((await order('9', 'lost')).headers.get('idempotent-replayed')).toBeNull()
  await finishJobs()
  expect((await order('9', 'lost')).headers.get('idempotent-replayed')).toBe('true')
  expect(await countJobs()).toBe(before + 1)
})

test('a process that dies before its commit leaves no key behind, so the repeat runs immediately', async () => {
  const gate = await sql.reserve()
  await gate`begin`
  await gate`lock table scrape_jobs in exclusive mode`
  const dying = order('10', 'crash')
  const waiting = () => sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into scrape_jobs%'`
  await waitFor(async () => (await waiting()).length === 1)
  expect((await order('10', 'crash')).status).toBe(409)
  expect((await sql`select from idempotency_keys where idempotency_key = 'crash'`).count).toBe(0)
  await sql`select pg_terminate_backend(pid) from (${waiting()}) as dying`
  expect((await dying).status).toBe(503)
  await gate`rollback`
  gate.release()
  const again = await order('10', 'crash')
  expect(again.status).toBe(200)
  expect(again.headers.get('idempotent-replayed')).toBeNull()
})

test('responses are kept for one day; a key that is used again later is kept for a day again', async () => {
  await order('7', 'yesterday')
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where idempotency_key = 'yesterday'`
  expect((await order('7', 'yesterday')).headers.get('idempotent-replayed')).toBeNull()
  expect((await order('7', 'yesterday')).headers.get('idempotent-replayed')).toBe('true')
  await sql`update idempotency_keys set created_at = now() - interval '25 hours'`
  expect(await deleteOldIdempotencyKeys(sql, 10_000)).toBeGreaterThan(0)
  expect((await sql`select 1 from idempotency_keys`).count).toBe(0)
})

test('a caller has a limited number of stored responses: the oldest are forgotten, and those of other callers stay', async () => {
  const { key } = await issueKey(sql, { name: 'busy', capabilities: ['enqueue'] })
  const other = await issueKey(sql, { name: 'other', capabilities: ['enqueue'] })
  await order('20', 'of-another', other.key)
  await order('20', 'oldest', key)
  await sql`
    update idempotency_keys set created_at = now() - interval '1 hour' * 2
    where idempotency_key in ('oldest', 'of-another')`
  await sql`
    insert into idempotency_keys (caller_hash, idempotency_key, request_hash, status, body, created_at)
    select caller_hash, 'key ' || n, request_hash, status, body, created_at + n * interval '1 millisecond'
    from idempotency_keys, generate_series(1, ${MOST_IDEMPOTENCY_KEYS - 1}) n where idempotency_key = 'oldest'`
  const isKept = async (idempotencyKey: string) =>
    (await sql`select from idempotency_keys where idempotency_key = ${idempotencyKey}`).count === 1
  // They are counted for a few of the requests.
  for (let n = 0; await isKept('oldest'); n++) {
    expect(n).toBeLessThan(1_000)
    expect((await order('21', `newer-${n}`, key)).status).toBe(200)
  }
  expect([await isKept('of-another'), await isKept('newer-0')]).toEqual([true, true])
  const [stored] =
    await sql`select count(*)::int from idempotency_keys where idempotency_key like any ('{key %,newer-%}')`
  expect(stored?.count).toBe(MOST_IDEMPOTENCY_KEYS)
})

test('an invalid key is 400', async () => {
  expect(await order('8', 'a'.repeat(256))).toMatchObject({
    status: 400,
    body: { error: 'Idempotency-Key must be 1 to 255 visible ASCII characters' },
  })
})
