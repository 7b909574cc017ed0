import { expect, test } from 'bun:test'
import type { Sql } from '../../../core/postgres/database'
import { RunningJobs } from '../../../src/jobs/worker/running-jobs'

test('a job that was claimed again keeps its entry when the former attempt ends, so it can still be dropped', async () => {
  const jobs = new RunningJobs(null as unknown as Sql, 10_000)
  const former = Promise.withResolvers<void>()
  const later = Promise.withResolvers<void>()
  const first = jobs.run('job', 1, () => former.promise)
  let signal = AbortSignal.abort()
  const second = jobs.run('job', 2, (own) => {
    signal = own
    return later.promise
  })
  former.resolve()
  await first
  expect(jobs.size).toBe(1)
  jobs.drop('job', 'cancelled')
  expect(signal.aborted).toBe(true)
  later.resolve()
  await second
  expect(jobs.size).toBe(0)
})
