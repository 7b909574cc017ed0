import { expect, test } from 'bun:test'
import { isRedisMissing } from '../../redis-server'
import { type FaultPlan, runWithFaults } from './fault-run'

/* Shorter than what `bun run bench job-faults` runs: 10,000 jobs, and more kills. */

const nothingLost = async (plan: FaultPlan) => {
  const report = await runWithFaults(plan)
  expect(report).toMatchObject({ done: plan.jobs, notDone: 0, notStoredOnce: 0, notDoneOnce: 0 })
  expect(report.longestPauseMs).toBeLessThan(15_000)
  // Else no kill met a job at work.
  expect(report.tries).toBeGreaterThan(plan.jobs)
}

test.skipIf(isRedisMissing)(
  'Redis: workers killed, Redis back empty, PostgreSQL crashed: every job is done once, its result stored once',
  () =>
    nothingLost({
      queue: 'redis',
      jobs: 2_000,
      workers: 3,
      kills: 4,
      killEveryMs: 2_000,
      scrapeMs: 100,
      concurrency: 30,
      emptyRedisAt: 2,
      crashPostgresAt: 3,
    }),
  180_000,
)

test(
  'embedded: the process killed and started again: every job is done once, its result stored once',
  () =>
    nothingLost({
      queue: 'embedded',
      jobs: 1_500,
      workers: 1,
      kills: 4,
      killEveryMs: 2_000,
      scrapeMs: 100,
      concurrency: 30,
    }),
  180_000,
)
