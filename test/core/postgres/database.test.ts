import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connectDatabase, type Db } from '../../../core/postgres/database'
import { isConnectionLost } from '../../../core/postgres/transient-errors'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { createTestDatabase, waitFor } from '../../support/servers'

test('if the server goes away in the middle of transactions, each of them fails', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gone-'))
  const server = await startPostgres(dir)
  const sql = connectDatabase(server.url, { max: 4 })
  const transactions = Array.from({ length: 20 }, () =>
    sql
      .begin(async (tx) => {
        for (let step = 0; step < 200; step++) await Promise.allSettled([tx`select pg_sleep(0.005)`, tx`select 1`])
      })
      .then(
        () => 'committed',
        (error) => isConnectionLost(error),
      ),
  )
  await Bun.sleep(80)
  await server.stop()
  expect(await Promise.all(transactions)).toEqual(Array.from({ length: 20 }, () => true))
  await sql.end({ timeout: 1 })
  rmSync(dir, { recursive: true, force: true })
})

test('a server whose name does not resolve, as when its container is down, counts as away', async () => {
  const sql = connectDatabase('postgres://nobody:none@postgres.invalid:5432/none', { max: 1 })
  const error = await sql`select 1`.catch((failure) => failure)
  expect(isConnectionLost(error)).toBe(true)
  await sql.end({ timeout: 1 })
})

/* The rest of a broken result was returned before the rows of the next one: https://github.com/porsager/postgres/issues/1181. */

test('a statement that fails in the middle of its rows leaves nothing in the next result', async () => {
  const { url } = await createTestDatabase()
  const sql = connectDatabase(url, { max: 1 })
  const failing = sql`select 1 / (4 - i) from generate_series(1, 10) i`.then(
    () => 'done',
    ({ code }) => code,
  )
  const next = sql<{ i: number }[]>`select i from generate_series(1, 3) i`
  expect(await failing).toBe('22012')
  expect([...(await next)]).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }])
  await sql.end()
})

test('a connection lost in the middle of rows has no old rows and no old error after it reconnects', async () => {
  const { url, sql: observer } = await createTestDatabase()
  const sql = connectDatabase(url, { max: 1, applicationName: 'to-be-lost' })
  const lost = sql`select i, repeat('x', 20000), pg_sleep(0.01) from generate_series(1, 1000) i`.catch(isConnectionLost)
  // By then about twenty rows have been sent.
  await waitFor(async () => {
    const [row] = await observer`
      select from pg_stat_activity where application_name = 'to-be-lost' and now() - query_start > interval '0.3 s' and state = 'active'`
    return row !== undefined
  })
  const plain = sql`select 1`.catch(isConnectionLost)
  await observer`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to-be-lost'`
  expect(await lost).toBe(true)
  await plain
  for (let turn = 0; turn < 3; turn++) expect([...(await sql`select 7 as n`)]).toEqual([{ n: 7 }])
  await sql.end()
})

test('if connections are lost repeatedly under load, every statement ends, and the pool reconnects immediately', async () => {
  const { url, sql: observer } = await createTestDatabase()
  const sql = connectDatabase(url, { max: 1, applicationName: 'lost-again' })
  const codes = new Set<string>()
  for (let round = 0; round < 40; round++) {
    await sql`select 1`.catch(() => {})
    await observer`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lost-again'`
    // One per turn of the event loop. Some are sent between the connection's error and its end, and some are never sent.
    const asked: Promise<unknown>[] = []
    for (let turn = 0; turn < 100; turn++) {
      asked.push(sql`select ${turn}::int`.catch(({ code }) => codes.add(code)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(asked)
  }
  expect([...codes]).not.toContain('CONNECT_TIMEOUT')
  await sql.end()
})

test('a pool ends even if its connection is lost at the same time', async () => {
  const { url, sql: observer } = await createTestDatabase()
  for (let round = 0; round < 20; round++) {
    const sql = connectDatabase(url, { max: 1, applicationName: 'lost-at-the-end' })
    await sql`select 1`
    const lost = observer`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lost-at-the-end'`
    const asked = Array.from({ length: 5 }, () => sql`select 1`.catch(() => {}))
    await lost
    for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([...asked, sql`select 1`.catch(() => {})])
    await sql.end()
  }
})

test('if the server closes each new connection, the statement fails, and the pool pauses between attempts', async () => {
  let made = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        made++
        socket.end()
      },
      data() {},
    },
  })
  const sql = connectDatabase(`postgres://nobody:none@127.0.0.1:${server.port}/none`, { max: 1 })
  const first = await Promise.race([sql`select 1`.catch(isConnectionLost), Bun.sleep(3_000).then(() => 'no answer')])
  expect(first).toBe(true)
  expect(await sql`select 1`.catch(isConnectionLost)).toBe(true)
  expect(made).toBeLessThanOrEqual(3)
  server.stop(true)
  await sql.end({ timeout: 1 })
})

/* COPY: https://github.com/porsager/postgres/issues/1173. */

test('COPY FROM with a bad row fails, and the connection works afterward, even in a transaction', async () => {
  const { url } = await createTestDatabase()
  const sql = connectDatabase(url, { max: 1 })
  await sql`create table copied (n int)`
  const load = async (db: Db, lines: string[]) =>
    pipeline(Readable.from(lines), await db`copy copied (n) from stdin`.writable()).then(
      () => 'loaded',
      ({ code }) => code,
    )
  const good = Array.from({ length: 1_000 }, (_, n) => `${n}\n`)
  expect(await load(sql, good)).toBe('loaded')
  expect(await load(sql, [...good, 'no number\n'])).toBe('22P02')
  expect(await load(sql, ['no number\n', ...good, ...good, ...good])).toBe('22P02')
  const failed = sql.begin(async (tx) => {
    if ((await load(tx, ['no number\n'])) !== 'loaded') throw new Error('not loaded')
  })
  expect(await failed.catch(({ message }) => message)).toBe('not loaded')
  expect([...(await sql`select count(*)::int as n from copied`)]).toEqual([{ n: 1_000 }])
  await sql.end({ timeout: 1 })
})

test('the connection works after COPY TO, whether or not it was read to the end', async () => {
  const { url } = await createTestDatabase()
  const sql = connectDatabase(url, { max: 1 })
  let bytes = 0
  const all = await sql`copy (select repeat('x', 1000) from generate_series(1, 2000)) to stdout`.readable()
  for await (const chunk of all) bytes += chunk.length
  expect(bytes).toBe(2_000 * 1_001)
  expect([...(await sql`select 1 as n`)]).toEqual([{ n: 1 }])
  const left = await sql`copy (select repeat('x', 1000) from generate_series(1, 20000)) to stdout`.readable()
  for await (const _chunk of left) break
  expect([...(await sql`select 2 as n`)]).toEqual([{ n: 2 }])
  await sql.end({ timeout: 1 })
})

test('COPY in either direction fails when its connection is lost', async () => {
  const { url, sql: observer } = await createTestDatabase()
  const sql = connectDatabase(url, { max: 1, applicationName: 'copying' })
  await sql`create table copied_in_part (n int)`
  const lose = () => observer`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'copying'`
  const endless = async function* () {
    yield '1\n'
    await lose()
    for (;;) {
      yield '2\n'
      await Bun.sleep(5)
    }
  }
  const into = await sql`copy copied_in_part (n) from stdin`.writable()
  expect(await pipeline(Readable.from(endless()), into).catch(isConnectionLost)).toBe(true)
  // A statement that is sent before the socket closes is lost too.
  const connectsAgain = () => sql`select 1`.then(() => true, isNotLost)
  const isNotLost = (error: unknown) => {
    if (!isConnectionLost(error)) throw error
    return false
  }
  await waitFor(connectsAgain)
  const out =
    await sql`copy (select pg_sleep(0.01), repeat('x', 20000) from generate_series(1, 100000)) to stdout`.readable()
  const read = async () => {
    for await (const _chunk of out) await lose()
  }
  expect(await read().catch(isConnectionLost)).toBe(true)
  await waitFor(connectsAgain)
  await sql.end({ timeout: 1 })
})
