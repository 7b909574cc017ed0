import { expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { startProxy, type TcpProxy } from '../../endurance/chaos/proxy'
import { commandOf } from '../../runner/programs'
import { isRedisMissing, startRedis } from '../../support/redis-server'
import { createTestDatabase, waitFor } from '../../support/servers'
import { enqueue, insertSource, insertVendor } from '../job-rows'
import { mostAtOnce } from '../pace/most-at-once'

/* Real worker processes, each with its own proxy to Redis, while Redis loses data, refuses writes or does not respond. */

const TARGET = 6
const WORKERS = 2
const SCRAPE_MS = 500
const RECOVERY_MS = 10_000
/** Jobs that must start in each slot. A single start would not prove that work continues. */
const TURNS = 6

interface Broken {
  admin: Redis
  redis: Awaited<ReturnType<typeof startRedis>>
  proxies: TcpProxy[]
}

interface Fault {
  /** Duration of the fault. 0: a momentary fault. */
  lastsMs: number
  begin: (broken: Broken) => Promise<unknown>
  end?: (broken: Broken) => Promise<unknown>
}

const FAULTS: Record<string, Fault> = {
  'Redis forgets everything (FLUSHALL)': { lastsMs: 0, begin: ({ admin }) => admin.flushall() },
  'Redis turns read-only, as a replica': {
    lastsMs: 6_000,
    begin: ({ admin }) => admin.replicaof('127.0.0.1', 1),
    end: ({ admin }) => admin.replicaof('NO', 'ONE'),
  },
  'open connections are dead, new ones work': {
    lastsMs: 0,
    begin: async ({ proxies }) => {
      for (const proxy of proxies) proxy.swallow('open')
    },
  },
  'Redis is frozen': {
    lastsMs: 6_000,
    begin: async ({ redis }) => process.kill(redis.pid, 'SIGSTOP'),
    end: async ({ redis }) => process.kill(redis.pid, 'SIGCONT'),
  },
  'Redis has no memory left': {
    lastsMs: 6_000,
    begin: ({ admin }) => admin.config('SET', 'maxmemory', 1),
    end: ({ admin }) => admin.config('SET', 'maxmemory', 0),
  },
}

for (const [name, fault] of Object.entries(FAULTS)) {
  test.skipIf(isRedisMissing)(
    `${name}: never more concurrent jobs than the target, and work continues within 10 s`,
    async () => {
      const { url, sql } = await createTestDatabase()
      await insertVendor(sql, 'test', TARGET)
      await insertSource(sql, 'elm', 'test')
      const redis = await startRedis()
      const admin = new Redis(redis.url)
      const proxies = await Promise.all(Array.from({ length: WORKERS }, () => startProxy(redis.port)))
      const workers = proxies.map((proxy) =>
        Bun.spawn(commandOf('test/jobs/worker/worker-process.ts', url, proxy.through(redis.url), String(SCRAPE_MS)), {
          stdout: 'pipe',
          stderr: 'inherit',
        }),
      )
      const countDone = async () => (await sql`select from scrape_jobs where status = 'done'`).length
      const countStartedSince = async (at: string) =>
        (await sql`select from scrape_jobs where started_at > ${at}::text::timestamptz`).length
      const clock = async (): Promise<string> => {
        const [row] = await sql<{ at: string }[]>`select clock_timestamp()::text as at`
        return row?.at ?? ''
      }
      try {
        await enqueue(
          sql,
          'elm',
          Array.from({ length: 800 }, (_, index) => `p${index}`),
        )
        await waitFor(async () => (await countDone()) > 3 * TARGET)
        await fault.begin({ admin, redis, proxies })
        await Bun.sleep(fault.lastsMs)
        const mendedAt = await clock()
        await fault.end?.({ admin, redis, proxies })
        await waitFor(async () => (await countStartedSince(mendedAt)) > TURNS * TARGET, 40_000)
        const recovered = await sql<{ ms: number }[]>`
          select extract(epoch from started_at - ${mendedAt}::text::timestamptz)::float8 * 1000 as ms
          from scrape_jobs where started_at > ${mendedAt}::text::timestamptz order by 1 limit ${TURNS * TARGET}`
        expect(await mostAtOnce(sql)).toBeLessThanOrEqual(TARGET)
        expect(recovered.at(-1)?.ms).toBeLessThan(RECOVERY_MS + TURNS * SCRAPE_MS)
      } finally {
        process.kill(redis.pid, 'SIGCONT')
        for (const worker of workers) worker.kill('SIGKILL')
        await Promise.all(workers.map(({ exited }) => exited))
        admin.disconnect()
        for (const proxy of proxies) await proxy.stop()
        await redis.kill()
      }
    },
  )
}
