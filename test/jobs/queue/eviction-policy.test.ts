import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { judgeEvictionPolicy, parseEvictionPolicy, refuseUnfitRedis } from '../../../src/jobs/queue/eviction-policy'
import { isRedisMissing, startRedis } from '../../support/redis-server'

const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line).msg) })

test.skipIf(isRedisMissing)('a worker does not start on a Redis that evicts keys when its memory is full', async () => {
  const redis = await startRedis(undefined, ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
  await expect(refuseUnfitRedis(redis.url, log)).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining(
      'evicts queued jobs when its memory is full (maxmemory-policy allkeys-lru): run redis-cli config set maxmemory-policy noeviction',
    ),
  })
  await redis.kill()
})

test.skipIf(isRedisMissing)('a worker starts on a Redis that keeps its keys', async () => {
  const redis = await startRedis()
  await refuseUnfitRedis(redis.url, log)
  expect(lines).toEqual([])
  await redis.kill()
})

test.skipIf(isRedisMissing)('a worker does not start with a password that Redis refuses', async () => {
  const redis = await startRedis(undefined, ['--requirepass', 'right'])
  for (const login of ['', ':wrong@']) {
    await expect(refuseUnfitRedis(redis.url.replace('//', `//${login}`), log)).rejects.toMatchObject({
      code: 'bad_config',
      message: `Redis at 127.0.0.1:${redis.port} refuses the password: set the right one in REDIS_URL`,
    })
  }
  await refuseUnfitRedis(redis.url.replace('//', '//:right@'), log)
  expect(lines).toEqual([])
  await redis.kill()
})

test('a worker starts while Redis is unreachable, and logs a warning', async () => {
  await refuseUnfitRedis('redis://127.0.0.1:9', log)
  expect(lines.splice(0)).toEqual(['Redis at 127.0.0.1:9 is unreachable; jobs wait for it'])
})

test('a server that does not report its policy causes a warning', () => {
  expect(parseEvictionPolicy('# Memory\r\nused_memory:1\r\n')).toBeNull()
  expect(judgeEvictionPolicy(null)).toEqual({
    problem: 'does not report its maxmemory-policy',
    advice: 'make sure that it is noeviction',
  })
})
