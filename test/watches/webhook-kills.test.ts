import { expect, setDefaultTimeout, test } from 'bun:test'
import { insertSource } from '../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase } from '../support/servers'
import { describeTrial, runWebhookTrial } from './webhook-trial'

setDefaultTimeout(TEST_TIMEOUT_MS)

test('each change is delivered at least once, in order per parcel and under one id, while receivers fail, hang and are killed and the sender is killed 5 times', async () => {
  const { sql, url } = await createTestDatabase()
  await insertSource(sql, 'elm', 'arcgis-rest')
  const report = await runWebhookTrial(
    { sql, url, source: 'elm' },
    { parcels: 20, rounds: 5, senderKills: 5, timeoutMs: TEST_TIMEOUT_MS - 20_000 },
  )
  console.log(describeTrial(report))
  expect(report).toMatchObject({
    ...{ expected: 400, delivered: 400, taken: 400, lost: 0, secondIds: 0, disordered: 0, refused: 0 },
    ...{ senderKills: 5, receiverKills: 2 },
  })
  expect(report.duplicates).toBeGreaterThan(0)
  expect(report.failures).toBeGreaterThan(20)
})
