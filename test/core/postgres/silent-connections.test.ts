import { expect, test } from 'bun:test'
import { connectDatabase, readPoolUse } from '../../../core/postgres/database'
import { answerTimeoutS, type Patience, sessionSettings } from '../../../core/postgres/session-limits'
import { isConnectionLost } from '../../../core/postgres/transient-errors'
import { startProxy } from '../../endurance/chaos/proxy'
import { createTestDatabase, waitFor } from '../../support/servers'

const database = await createTestDatabase()
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error)

/** Whether a session runs `pg_sleep`. */
const isAsleep = async () =>
  (
    await database.sql`
      select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  ).length > 0

const throughProxy = async () => {
  const proxy = await startProxy(Number(new URL(database.url).port))
  return { proxy, url: proxy.through(database.url) }
}

test.each<Patience>(['interactive', 'background', 'bulk', 'endless'])(
  'sessions with patience %s have their limits on the server',
  async (patience) => {
    const sql = connectDatabase(database.url, { max: 1, patience })
    // The TCP settings would be 0 on a Unix-domain socket.
    for (const [setting, value] of Object.entries(sessionSettings(patience))) {
      const [row] = await sql<{ value: string }[]>`select setting as value from pg_settings where name = ${setting}`
      expect({ [setting]: row?.value }).toEqual({ [setting]: value })
    }
    await sql.end()
  },
)

test('the client gives up a statement only after the server should have ended it', () => {
  expect(answerTimeoutS('interactive')).toBe(25)
  expect(answerTimeoutS('background')).toBe(35)
  expect(answerTimeoutS('endless')).toBeNull()
})

test('a pool replaces dead connections within 12 s, and waiting queries fail', async () => {
  const { proxy, url } = await throughProxy()
  const sql = connectDatabase(url, { max: 3, patience: 'interactive', probed: true })
  await waitFor(async () => {
    await Promise.all([1, 2, 3].map((n) => sql`select ${n}::int, pg_sleep(0.05)`))
    return readPoolUse(sql).idle === 3
  })
  const slow = sql`select pg_sleep(60)`.then(() => 'answered', codeOf)
  const begun = Promise.withResolvers<void>()
  const swallowed = Promise.withResolvers<void>()
  const inTransaction = sql
    .begin(async (tx) => {
      await tx`select 1`
      begun.resolve()
      await swallowed.promise
      await tx`select 2`
    })
    .then(() => 'committed', codeOf)
  await begun.promise
  await waitFor(isAsleep)
  const begunAt = performance.now()
  proxy.swallow('open')
  swallowed.resolve()
  expect(await slow).toBe('ANSWER_TIMEOUT')
  expect(isConnectionLost(Object.assign(new Error(), { code: await inTransaction }))).toBe(true)
  expect([...(await sql`select 7 as n`)]).toEqual([{ n: 7 }])
  expect(performance.now() - begunAt).toBeLessThan(12_000)
  expect(readPoolUse(sql).busy).toBe(0)
  await sql.end({ timeout: 1 })
  await proxy.stop()
})

test('a pool replaces its connections within 12 s if all of them die while they run a query', async () => {
  const { proxy, url } = await throughProxy()
  const sql = connectDatabase(url, { max: 2, patience: 'background', probed: true })
  await Promise.all([1, 2].map((n) => sql`select ${n}::int, pg_sleep(0.05)`))
  const begunAt = performance.now()
  proxy.swallow('open')
  const lost = [1, 2].map((n) => sql`select ${n}::int`.then(() => 'answered', codeOf))
  expect(await Promise.all(lost)).toEqual(['ANSWER_TIMEOUT', 'ANSWER_TIMEOUT'])
  expect([...(await sql`select 7 as n`)]).toEqual([{ n: 7 }])
  expect(performance.now() - begunAt).toBeLessThan(12_000)
  await sql.end({ timeout: 1 })
  await proxy.stop()
})

test('statements fail within 12 s, and those that wait within 15 s, if the whole server stops answering while no connection is idle', async () => {
  const { proxy, url } = await throughProxy()
  const sql = connectDatabase(url, { max: 2, patience: 'interactive', probed: true })
  await Promise.all([1, 2].map((n) => sql`select ${n}::int, pg_sleep(0.05)`))
  const begunAt = performance.now()
  proxy.swallow('all')
  const ask = (count: number) =>
    Array.from({ length: count }, (_, n) => sql`select ${n}::int`.then(() => 'answered', codeOf))
  const sent = ask(2)
  await waitFor(() => readPoolUse(sql).idle === 0)
  // With one failure for each attempt to connect, the last one would fail after a minute and a half.
  const transaction = sql.begin((tx) => tx`select 1`).then(() => 'committed', codeOf)
  const waiting = ask(60)
  expect(await Promise.all(sent)).toEqual(['ANSWER_TIMEOUT', 'ANSWER_TIMEOUT'])
  expect(performance.now() - begunAt).toBeLessThan(12_000)
  expect(new Set(await Promise.all([transaction, ...waiting]))).toEqual(new Set(['CONNECT_TIMEOUT']))
  expect(performance.now() - begunAt).toBeLessThan(15_000)
  proxy.pass()
  await waitFor(() =>
    sql`select 7`.then(
      () => true,
      () => false,
    ),
  )
  await sql.end({ timeout: 1 })
  await proxy.stop()
})

test('a lost statement fails within 12 s, or 30 s if it is long work, although the server no longer knows its session', async () => {
  const lose = async (patience: Patience, withinMs: number) => {
    const { proxy, url } = await throughProxy()
    const applicationName = `lost ${patience}`
    const sql = connectDatabase(url, { max: 1, patience, probed: true, applicationName })
    await sql`select 1`
    const begunAt = performance.now()
    proxy.swallow('open')
    const lost = sql`select 2`.then(() => 'answered', codeOf)
    // As after a failover: the server that new connections reach is another one.
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`
    expect(await lost).toBe('ANSWER_TIMEOUT')
    expect(performance.now() - begunAt).toBeLessThan(withinMs)
    await waitFor(() =>
      sql`select 7`.then(
        () => true,
        () => false,
      ),
    )
    await sql.end({ timeout: 1 })
    await proxy.stop()
  }
  await Promise.all([
    lose('interactive', 12_000),
    lose('background', 12_000),
    // 30 s, and 10 s for a busy machine.
    lose('bulk', 40_000),
    lose('endless', 40_000),
  ])
}, 90_000)

test('a slow statement is not mistaken for a dead connection while the server answers', async () => {
  const { proxy, url } = await throughProxy()
  const sql = connectDatabase(url, { max: 2, patience: 'interactive', probed: true })
  const slow = sql`select pg_sleep(7), 1 as n`.then(([row]) => row?.n)
  await sql`select 1`
  proxy.delay(300)
  expect(await slow).toBe(1)
  await sql.end({ timeout: 1 })
  await proxy.stop()
})

test('a listener receives notifications again within 12 s after its connection began to lose packets', async () => {
  const { proxy, url } = await throughProxy()
  const sql = connectDatabase(url, { max: 1, patience: 'background' })
  const heard: string[] = []
  let listening = 0
  await sql.listen(
    'silence',
    (payload) => heard.push(payload),
    () => listening++,
  )
  expect(listening).toBe(1)
  await database.sql.notify('silence', 'before')
  await waitFor(() => heard.includes('before'))
  const begunAt = performance.now()
  proxy.swallow('open')
  await database.sql.notify('silence', 'lost')
  await waitFor(() => listening === 2)
  expect(performance.now() - begunAt).toBeLessThan(12_000)
  await database.sql.notify('silence', 'after')
  await waitFor(() => heard.includes('after'))
  expect(heard).toEqual(['before', 'after'])
  await sql.end({ timeout: 1 })
  await proxy.stop()
})

test('listeners of a pool share one connection; each is called when it is listening, and each can stop alone', async () => {
  const sql = connectDatabase(database.url, { max: 1, applicationName: 'listeners' })
  const heard: string[] = []
  const first = await sql.listen('one "quoted"', (payload) => heard.push(`first ${payload}`))
  await sql.listen('one "quoted"', (payload) => heard.push(`second ${payload}`))
  await sql.listen('other', (payload) => heard.push(`other ${payload}`))
  const sessions = () => database.sql`select from pg_stat_activity where application_name = 'listeners'`
  expect(await sessions()).toHaveLength(1)
  await database.sql.notify('one "quoted"', 'a')
  await waitFor(() => heard.length === 2)
  await first.unlisten()
  await database.sql.notify('one "quoted"', 'b')
  await database.sql.notify('other', 'c')
  await waitFor(() => heard.length === 4)
  expect(heard).toEqual(['first a', 'second a', 'second b', 'other c'])
  await sql.end({ timeout: 1 })
  await waitFor(async () => (await sessions()).length === 0)
})

test('a listener that starts while the server is unavailable waits for it, and stops waiting when the pool ends', async () => {
  const { proxy, url } = await throughProxy()
  proxy.refuse()
  const sql = connectDatabase(url, { max: 1 })
  const heard: string[] = []
  const listening = sql.listen('later', (payload) => heard.push(payload))
  let isListening = false
  listening.then(() => {
    isListening = true
  })
  await waitFor(() => proxy.countRefused() >= 3)
  expect(isListening).toBe(false)
  proxy.pass()
  await listening
  await database.sql.notify('later', 'here')
  await waitFor(() => heard.includes('here'))
  await sql.end({ timeout: 1 })
  proxy.refuse()
  const refusedBefore = proxy.countRefused()
  const ended = connectDatabase(url, { max: 1 })
  const never = ended.listen('never', () => {})
  await waitFor(() => proxy.countRefused() > refusedBefore)
  await ended.end({ timeout: 1 })
  await never
  await proxy.stop()
})

test('the server ends a transaction that is idle for too long and frees its locks', async () => {
  await database.sql`create table held (n int)`
  await database.sql`insert into held values (1)`
  const sql = connectDatabase(database.url, { max: 1, patience: 'interactive' })
  const updated = Promise.withResolvers<number>()
  const ended = Promise.withResolvers<void>()
  const frozen = sql
    .begin(async (tx) => {
      await tx`update held set n = 2`
      updated.resolve(performance.now())
      await ended.promise
      await tx`select 1`
    })
    .then(() => 'committed', codeOf)
  const begunAt = await updated.promise
  await database.sql`update held set n = 3`
  expect(performance.now() - begunAt).toBeLessThan(11_500)
  ended.resolve()
  expect(await frozen).toBe('CONNECTION_CLOSED')
  await sql.end({ timeout: 1 })
})
