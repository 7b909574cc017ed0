import { type FaultPlan, runWithFaults } from '../jobs/fault-run'
import { report } from './report'

/*
 * bun run bench job-faults: 10,000 jobs through three workers on Redis, of which one is killed with -9 every 3 s, Redis back
 * empty once, PostgreSQL crashed once; and 10,000 through the one process of the embedded queue, killed ten times.
 */
const base = { jobs: 10_000, scrapeMs: 100, concurrency: 40 }

const measure = async (plan: FaultPlan): Promise<void> => {
  const outcome = await runWithFaults(plan)
  console.log(plan.queue, outcome)
  const { done, notStoredOnce, notDoneOnce, longestPauseMs } = outcome
  report({
    bench: 'job-faults',
    title: `${plan.queue} queue, ${plan.kills} kills: jobs that were not done and stored once`,
    measured: `${plan.jobs - done + notStoredOnce + notDoneOnce} of ${plan.jobs}, longest pause ${longestPauseMs} ms`,
    goal: { text: '0', met: done === plan.jobs && notStoredOnce + notDoneOnce === 0 },
  })
}

await measure({
  ...base,
  queue: 'redis',
  workers: 3,
  kills: 10,
  killEveryMs: 3_000,
  emptyRedisAt: 3,
  crashPostgresAt: 6,
})
await measure({ ...base, queue: 'embedded', workers: 1, kills: 10, killEveryMs: 2_500 })
