import { expect, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import { createReadiness } from '../../../src/operations/observe/readiness'
import { startProxy } from '../../endurance/chaos/proxy'
import { createTestDatabase, waitFor } from '../../support/servers'
import { shortestTime } from '../../support/shortest-time'

const { url } = await createTestDatabase()

test('a process whose own pool does not answer is not ready, although the database is well', async () => {
  const sql = connectDatabase(url, { max: 1 })
  const readiness = createReadiness({ deadAfterMs: 300 })
  readiness.watchPool('worker', sql)
  // On a busy machine, connecting takes longer than that.
  await waitFor(async () => (await readiness.findReadinessProblem()) === null)
  const place = await sql.reserve()
  await waitFor(async () => (await readiness.findReadinessProblem()) === 'pool worker: the database does not answer')
  place.release()
  await waitFor(async () => (await readiness.findReadinessProblem()) === null)
  await sql.end({ timeout: 1 })
})

test('a busy pool answers late and is ready', async () => {
  const sql = connectDatabase(url, { max: 1 })
  const readiness = createReadiness()
  readiness.watchPool('api', sql)
  let isOver = false
  const slow = sql`select pg_sleep(30)`.then(
    () => {
      isOver = true
    },
    () => {},
  )
  await Bun.sleep(50)
  const check = async () => expect(await readiness.findReadinessProblem()).toBeNull()
  expect(await shortestTime(2_900, check)).toBeLessThan(2_900)
  expect(isOver).toBe(false)
  await sql.end({ timeout: 0 })
  await slow
})

test('a process is not ready while its database is down, and says so although its loops stop, too', async () => {
  const proxy = await startProxy(Number(new URL(url).port))
  const sql = connectDatabase(proxy.through(url), { max: 1 })
  const readiness = createReadiness()
  readiness.watchPool('sync', sql)
  readiness.watchLoop('rounds of sync', 0)
  proxy.refuse()
  // The loop has stopped for this reason.
  expect(await readiness.findReadinessProblem()).toBe('pool sync: the database does not answer')
  proxy.pass()
  await waitFor(
    async () => (await readiness.findReadinessProblem())?.startsWith('rounds of sync: no progress') === true,
  )
  await sql.end({ timeout: 1 })
  await proxy.stop()
})

test('a process stays not ready while its database is frozen, also between two answers', async () => {
  const proxy = await startProxy(Number(new URL(url).port))
  const sql = connectDatabase(proxy.through(url), { max: 1 })
  const readiness = createReadiness()
  readiness.watchPool('api', sql)
  expect(await readiness.findReadinessProblem()).toBeNull()
  proxy.swallow()
  await waitFor(async () => (await readiness.findReadinessProblem()) !== null, 30_000)
  for (let check = 0; check < 3; check++)
    expect(await readiness.findReadinessProblem()).toBe('pool api: the database does not answer')
  proxy.pass()
  await waitFor(async () => (await readiness.findReadinessProblem()) === null, 30_000)
  await sql.end({ timeout: 1 })
  await proxy.stop()
}, 90_000)

test('a process whose database refuses connections because its disk is full is not ready, and says why', async () => {
  const { url: full, sql: owner } = await createTestDatabase()
  await owner.unsafe(`
    create function refuse_for_space() returns event_trigger language plpgsql as $$ begin
      raise exception 'could not write init file: No space left on device' using errcode = 'disk_full';
    end $$;
    create event trigger refuse_for_space on login execute function refuse_for_space()`)
  const sql = connectDatabase(full, { max: 1 })
  const readiness = createReadiness()
  readiness.watchPool('api', sql)
  expect(await readiness.findReadinessProblem()).toBe('pool api: the disk of the database is full')
  await owner`drop event trigger refuse_for_space`
  await waitFor(async () => (await readiness.findReadinessProblem()) === null)
  await sql.end({ timeout: 1 })
})

test('a process whose loop fails is not ready, naming the loop, until it runs again', async () => {
  const readiness = createReadiness()
  const turned = readiness.watchLoop('dispatcher', 50)
  expect(await readiness.findReadinessProblem()).toBeNull()
  await waitFor(
    async () => (await readiness.findReadinessProblem())?.startsWith('dispatcher: no progress for ') === true,
  )
  turned()
  expect(await readiness.findReadinessProblem()).toBeNull()
})
