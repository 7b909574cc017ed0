import { parseArgs } from 'node:util'
import { type FaultPlan, runWithFaults } from '../../jobs/faults/fault-run'
import { atLeast, atMost, type Goal, report } from '../report'

/*
 * bun run bench job-faults [--only redis,embedded]
 *
 * Runs 10,000 jobs through three workers on Redis. A worker is killed with -9 ten times, Redis restarts empty once, and PostgreSQL
 * crashes once. Then runs 10,000 jobs through the one process of the embedded queue, which is killed ten times. Goals: every job is
 * done and stored exactly once, and work continues within 15 s of each kill. Exits with code 1 when a goal is missed.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: 'redis,embedded' } } })
const LONGEST_PAUSE_MS = 15_000
const base = { jobs: 10_000, scrapeMs: 100, concurrency: 40, kills: 10 }
const plans: FaultPlan[] = [
  { ...base, queue: 'redis', workers: 3, emptyRedisAt: 3, crashPostgresAt: 6 },
  { ...base, queue: 'embedded', workers: 1 },
]

let failed = false
const judge = (queue: string, title: string, measured: string, goal: Goal): void => {
  failed ||= !goal.met
  console.log(`| ${queue} | ${title} | ${measured} | ${goal.text} | ${goal.met ? 'met' : 'MISSED'} |`)
  report({ bench: 'job-faults', title: `${queue} queue, ${base.kills} kills: ${title}`, measured, goal })
}

console.log('| queue | what | measured | goal | |\n|---|---|---|---|---|')
for (const plan of plans.filter(({ queue }) => values.only.split(',').includes(queue))) {
  const { done, notStoredOnce, notDoneOnce, unfinished, killsAtWork, longestPauseMs, tries, seconds } =
    await runWithFaults(plan)
  const of = `of ${plan.jobs}`
  judge(plan.queue, 'jobs done', `${done} ${of}, ${tries} tries, ${seconds} s`, atLeast(done, plan.jobs))
  judge(plan.queue, 'jobs left queued or running', `${unfinished} ${of}`, atMost(unfinished, 0))
  judge(plan.queue, 'jobs not done exactly once', `${notDoneOnce} ${of}`, atMost(notDoneOnce, 0))
  judge(plan.queue, 'results not stored exactly once', `${notStoredOnce} ${of}`, atMost(notStoredOnce, 0))
  judge(plan.queue, 'kills while jobs were open', `${killsAtWork} of ${plan.kills}`, atLeast(killsAtWork, plan.kills))
  judge(plan.queue, 'longest pause after a kill', `${longestPauseMs} ms`, atMost(longestPauseMs, LONGEST_PAUSE_MS))
}
process.exit(failed ? 1 : 0)
