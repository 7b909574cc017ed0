import { expect, test } from 'bun:test'
import { isRedisMissing } from '../../support/redis-server'
import { type FaultPlan, runWithFaults } from './fault-run'

/* A short version of `bun run bench job-faults`, which runs 10,000 jobs with more kills. */

const nothingLost = async (plan: FaultPlan) => {
  const report = await runWithFaults(plan)
  expect(report).toMatchObject({ done: plan.jobs, notDone: 0, notStoredOnce: 0, notDoneOnce: 0 })
  expect(report.longestPauseMs).toBeLessThan(15_000)
  // Otherwise no kill hit a running job.
  expect(report.tries).toBeGreaterThan(plan.jobs)
}

test.skipIf(isRedisMissing)(
  'Redis: every job is done and stored once while workers are killed, Redis loses its data and PostgreSQL crashes',
  () =>
    nothingLost({
      queue: 'redis',
      jobs: 400,
      workers: 3,
      kills: 3,
      scrapeMs: 100,
      concurrency: 30,
      emptyRedisAt: 2,
      crashPostgresAt: 3,
    }),
  180_000,
)

test(
  'embedded: every job is done and stored once while the process is killed and restarted',
  () =>
    nothingLost({
      queue: 'embedded',
      jobs: 300,
      workers: 1,
      kills: 2,
      scrapeMs: 100,
      concurrency: 30,
    }),
  180_000,
)
