import { expect, test } from 'bun:test'
import { insertRunningJob } from '../../drizzle/queries/jobs/order/run-job-now'
import { insertSource, insertVendor } from '../jobs/job-rows'
import { createTestDatabase } from '../support/servers'

test('if many jobs are set to run now, only as many start as the vendor allows', async () => {
  const { sql } = await createTestDatabase()
  await insertVendor(sql, 'test', 2)
  await sql`update vendor_concurrency set max_concurrency = 2 where vendor = 'test'`
  await insertSource(sql, 'ash', 'test')
  const begun = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      sql.begin((tx) =>
        insertRunningJob(tx, {
          source: 'ash',
          sourceParcelId: `${n}`,
          overrides: {},
          requester: null,
          leaseMs: 60_000,
        }),
      ),
    ),
  )
  expect(begun.filter((id) => id !== null)).toHaveLength(2)
})
