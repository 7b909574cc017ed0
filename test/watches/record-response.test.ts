import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { endTurn } from '../../drizzle/queries/watches/due-deliveries'
import { recordDelivered, recordFailure } from '../../drizzle/queries/watches/record-response'
import type { WorkAttempt } from '../../drizzle/queries/work/claim-work'
import { addWatch } from '../../src/watches/change-watch'
import { insertSource } from '../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase } from '../support/servers'
import { QUICK } from './quick-retries'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { url } = await createTestDatabase()
const sql = connectDatabase(url, { max: 12 })
afterAll(() => sql.end({ timeout: 1 }))
await insertSource(sql, 'elm', 'arcgis-rest')

const addWatchOfElm = async (): Promise<string> => {
  const owner = { owner: crypto.randomUUID(), accountId: null, keyHash: null, createdBy: 'tester' }
  const target = { kind: 'source' as const, source: 'elm', webhook_url: 'http://127.0.0.1:9/' }
  return (await sql.begin((tx) => addWatch(tx, owner, target, { allowPrivate: true }))).id
}

test('responses of one receiver are recorded at the same time without a deadlock while the matcher adds deliveries', async () => {
  const watch = await addWatchOfElm()
  const [work] = await sql`
    insert into work (kind, subject, status, attempts, lease_expires_at) values ('webhooks', 'x', 'running', 1, now() + interval '1 hour') returning id`
  const attempt = { id: work?.id as string, attempt: 1 }
  const add = async (): Promise<string> => {
    const [row] = await sql`
      insert into webhook_deliveries (watch_id, status) values (${watch}, 'pending') returning id`
    return row?.id
  }
  const response = { status: 500, text: null, durationMs: 1 }
  const record = (id: string, turn: number) => {
    if (turn % 4 === 0) return recordDelivered(sql, attempt, { id, response })
    return recordFailure(sql, attempt, { id, response, error: 'status 500', retryInMs: 1, isGone: false }, QUICK)
  }
  // The matcher adds many deliveries in one transaction, which locks their watches against deletion.
  const addMore = () =>
    sql.begin(async (tx) => {
      for (let n = 0; n < 5; n++)
        await tx`insert into webhook_deliveries (watch_id, status) values (${watch}, 'pending')`
    })
  for (let burst = 0; burst < 30; burst++) {
    const ids = await Promise.all(Array.from({ length: 8 }, add))
    const recorded = await Promise.all([...ids.map(record), addMore(), addMore()])
    expect(recorded).not.toContain(false)
  }
})

test('a former attempt at the work of a receiver records no response and does not end the turn', async () => {
  const watch = await addWatchOfElm()
  const [work] = await sql`
    insert into work (kind, subject, status, attempts, started_at, lease_expires_at)
    values ('webhooks', 'http://127.0.0.1:9', 'running', 2, now(), now() + interval '1 hour') returning id`
  const [delivery] =
    await sql`insert into webhook_deliveries (watch_id, status) values (${watch}, 'pending') returning id`
  const { id } = delivery as { id: string }
  const former = { id: work?.id as string, attempt: 1 }
  const response = { status: 200, text: null, durationMs: 1 }
  const failure = { id, response, error: 'status 500', retryInMs: 1, isGone: true }
  const end = (attempt: WorkAttempt) =>
    sql.begin((tx) =>
      endTurn(tx, { ...attempt, receiver: 'http://127.0.0.1:9' }, { delivered: 1, failed: 0 }),
    ) as Promise<boolean>
  const read = () => sql`
    select to_jsonb(d) as delivery, to_jsonb(w) as watch, (select jsonb_agg(to_jsonb(work)) from work where subject = 'http://127.0.0.1:9') as work
    from webhook_deliveries d join watches w on w.id = d.watch_id where d.id = ${id}`
  const before = await read()
  expect(await recordDelivered(sql, former, { id, response })).toBe(false)
  expect(await recordFailure(sql, former, failure, QUICK)).toBe(false)
  expect(await end(former)).toBe(false)
  expect(await read()).toEqual(before)
  const current = { ...former, attempt: 2 }
  expect(await recordDelivered(sql, current, { id, response })).toBe(true)
  expect(await end(current)).toBe(true)
})
