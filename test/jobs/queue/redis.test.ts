import { expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { createRedisQueue } from '../../../src/jobs/queue/redis'
import { commandOf } from '../../runner/programs'
import { isRedisMissing, startRedis } from '../../support/redis-server'
import { createTestDatabase, waitFor } from '../../support/servers'
import { enqueue, insertSource, insertVendor } from '../job-rows'
import { mostAtOnce } from '../pace/most-at-once'
import { describeQueue } from './queue-contract'

let server: Awaited<ReturnType<typeof startRedis>>
const quiet = { onReset: () => {}, onError: () => {} }

describeQueue('the queue in Redis', {
  isMissing: isRedisMissing,
  isKept: true,
  start: async () => {
    server = await startRedis()
  },
  open: () => createRedisQueue(server.url, quiet),
  stop: () => server.kill(),
})

test.skipIf(isRedisMissing)(
  'when Redis restarts empty, the queue reports a reset and delivers jobs that are added again',
  async () => {
    let redis = await startRedis()
    let resets = 0
    const queue = createRedisQueue(redis.url, { ...quiet, onReset: () => resets++ })
    const seen: string[] = []
    queue.take('vendor', async ({ id }) => void seen.push(id))
    await queue.setConcurrency('vendor', 2)
    await queue.add('vendor', [{ id: 'before', attempts: 0, priority: 'normal' }])
    await waitFor(() => seen.length === 1)
    await redis.kill()
    const adding = queue.add('vendor', [{ id: 'during', attempts: 0, priority: 'normal' }])
    redis = await startRedis(redis.port)
    await waitFor(() => resets === 1)
    await adding
    await waitFor(() => seen.length === 2)
    await queue.close()
    await redis.kill()
  },
)

test.skipIf(isRedisMissing)('a queue says that Redis answers, unless Redis refuses the password', async () => {
  const redis = await startRedis(undefined, ['--requirepass', 'right'])
  const answers = { right: 0, wrong: 0 }
  let refused = 0
  const open = (password: keyof typeof answers) =>
    createRedisQueue(redis.url.replace('//', `//:${password}@`), {
      ...quiet,
      onAnswer: () => answers[password]++,
      onError: () => refused++,
    })
  const queues = [open('right'), open('wrong')]
  await waitFor(() => answers.right > 1 && refused > 1)
  expect(answers.wrong).toBe(0)
  await Promise.all(queues.map((queue) => queue.close()))
  await redis.kill()
})

test.skipIf(isRedisMissing)('a queue does not say that Redis answers while it is full or read-only', async () => {
  const redis = await startRedis()
  const admin = new Redis(redis.url)
  let [answers, refused] = [0, 0]
  const queue = createRedisQueue(redis.url, { ...quiet, onAnswer: () => answers++, onError: () => refused++ })
  const faults = [
    { begin: () => admin.config('SET', 'maxmemory', 1), end: () => admin.config('SET', 'maxmemory', 0) },
    { begin: () => admin.replicaof('127.0.0.1', 9), end: () => admin.replicaof('NO', 'ONE') },
  ]
  for (const { begin, end } of faults) {
    const before = answers
    await waitFor(() => answers > before)
    await begin()
    refused = 0
    await waitFor(() => refused > 0)
    const atFirstRefusal = answers
    await waitFor(() => refused > 2)
    expect(answers).toBe(atFirstRefusal)
    await end()
  }
  await queue.close()
  admin.disconnect()
  await redis.kill()
})

test.skipIf(isRedisMissing)('commands that a read-only Redis refuses together close the connection once', async () => {
  const redis = await startRedis()
  const admin = new Redis(redis.url)
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const queue = createRedisQueue(redis.url, quiet)
  await queue.setConcurrency('vendor', 1)
  await admin.replicaof('127.0.0.1', 9)
  const refused = await Promise.allSettled(Array.from({ length: 50 }, () => queue.setConcurrency('vendor', 1)))
  expect(refused.some(({ status }) => status === 'rejected')).toBe(true)
  await admin.replicaof('NO', 'ONE')
  await queue.setConcurrency('vendor', 1)
  process.off('warning', note)
  expect(warnings).toEqual([])
  await queue.close()
  admin.disconnect()
  await redis.kill()
})

/** `count` worker processes on one Redis, with a target of `target`. The portal answers after `scrapeMs`. */
const startWorkers = async (count: number, { target, scrapeMs }: { target: number; scrapeMs: number }) => {
  const { url, sql } = await createTestDatabase()
  await insertVendor(sql, 'test', target)
  await insertSource(sql, 'elm', 'test')
  const redis = await startRedis()
  const processes = Array.from({ length: count }, () =>
    Bun.spawn(commandOf('test/jobs/worker/worker-process.ts', url, redis.url, String(scrapeMs)), {
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  // All workers are ready before jobs are queued.
  for (const { stdout } of processes) await stdout.getReader().read()
  return {
    sql,
    running: async () => (await sql`select from scrape_jobs where status = 'running'`).length,
    setTarget: async (target: number): Promise<string> => {
      const [row] = await sql<{ at: string }[]>`
        update vendor_concurrency set target_concurrency = ${target} returning clock_timestamp()::text as at`
      return row?.at ?? ''
    },
    stop: async () => {
      for (const process of processes) process.kill('SIGKILL')
      await Promise.all(processes.map(({ exited }) => exited))
      await redis.kill()
    },
  }
}

test.skipIf(isRedisMissing)(
  'a raised target starts more scrapes while every running scrape hangs, in one worker process and in two',
  async () => {
    for (const count of [1, 2]) {
      const { sql, running, setTarget, stop } = await startWorkers(count, { target: 2, scrapeMs: 3_600_000 })
      try {
        await enqueue(
          sql,
          'elm',
          Array.from({ length: 40 }, (_, index) => `p${index}`),
        )
        await waitFor(async () => (await running()) === 2)
        for (const target of [3, 8, 20]) {
          await setTarget(target)
          await waitFor(async () => (await running()) === target)
        }
        expect(await sql`select from scrape_attempts`).toHaveLength(0)
      } finally {
        await stop()
      }
    }
  },
)

test.skipIf(isRedisMissing)(
  'two worker processes together run no more concurrent jobs than the target, and follow changes within 2 s',
  async () => {
    // Long compared with the work between two scrapes. Otherwise a busy machine seldom has all slots in use when they are counted.
    const { sql, running, setTarget, stop } = await startWorkers(2, { target: 6, scrapeMs: 500 })
    const twoSecondsAfter = (at: string): string => new Date(Date.parse(at) + 2_000).toISOString()
    try {
      await enqueue(
        sql,
        'elm',
        Array.from({ length: 2_000 }, (_, index) => `p${index}`),
      )
      await waitFor(async () => (await running()) === 6)
      const raisedAt = await setTarget(16)
      // A busy machine needs longer to start ten jobs. A lower target takes no work, so it shows the two seconds.
      await waitFor(async () => (await running()) === 16)
      const loweredAt = await setTarget(4)
      const settledAt = twoSecondsAfter(loweredAt)
      const startedSince = async () =>
        (await sql`select from scrape_jobs where started_at > ${settledAt}::text::timestamptz`).length
      await waitFor(async () => (await startedSince()) > 40)
      const endedAt = await setTarget(4)
      // The waits above show that the targets are reached. These counts can be too low: a job that starts within a millisecond of
      // another's end is taken for the same job.
      expect(await mostAtOnce(sql, '-infinity', raisedAt)).toBeLessThanOrEqual(6)
      expect(await mostAtOnce(sql, raisedAt, loweredAt)).toBeLessThanOrEqual(16)
      // Work must also continue: when many jobs end together, it could happen that no worker is notified of free slots.
      expect(await mostAtOnce(sql, settledAt, endedAt)).toBeWithin(3, 5)
    } finally {
      await stop()
    }
  },
)
