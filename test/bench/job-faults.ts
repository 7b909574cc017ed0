import { runWithFaults } from '../jobs/fault-run'

/*
 * bun run bench job-faults: 10,000 jobs through three workers on Redis, of which one is killed with -9 every 3 s, Redis back
 * empty once, PostgreSQL crashed once; and 10,000 through the one process of the embedded queue, killed ten times.
 */
const base = { jobs: 10_000, scrapeMs: 100, concurrency: 40 }
console.log(
  'redis',
  await runWithFaults({
    ...base,
    queue: 'redis',
    workers: 3,
    kills: 10,
    killEveryMs: 3_000,
    emptyRedisAt: 3,
    crashPostgresAt: 6,
  }),
)
console.log('embedded', await runWithFaults({ ...base, queue: 'embedded', workers: 1, kills: 10, killEveryMs: 2_500 }))
