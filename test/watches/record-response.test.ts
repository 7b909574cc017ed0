import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '../../core/postgres/database'
import { recordDelivered, recordFailure } from '../../drizzle/queries/watches/record-response'
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

test('responses of one receiver are recorded at the same time without a deadlock while the matcher adds deliveries', async () => {
  const owner = { owner: crypto.randomUUID(), accountId: null, keyHash: null, createdBy: 'tester' }
  const { id: watch } = (await sql.begin((tx) =>
    addWatch(tx, owner, { kind: 'source', source: 'elm', webhook_url: 'http://127.0.0.1:9/' }, { allowPrivate: true }),
  )) as { id: string }
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
