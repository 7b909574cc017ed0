import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { advanceWork, lockWork } from '../../drizzle/queries/work/advance-work'
import { type ClaimedWork, claimWork } from '../../drizzle/queries/work/claim-work'
import { failWork, finishWork, handBackWork } from '../../drizzle/queries/work/end-work-attempt'
import { holdWork } from '../../drizzle/queries/work/hold-work'
import { orderWork } from '../../drizzle/queries/work/order-work'
import type { WorkRunner } from '../../src/work/runner'
import { takeWork } from '../../src/work/take-work'
import { createWorkLoop } from '../../src/work/work-loop'
import { readEventStream } from '../http/event-source'
import { ADMIN_KEY, createTestApp, insertCounty } from '../http/test-app'
import { commandOf } from '../runner/programs'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { waitFor } from '../support/servers'
import { orderTrial, TRIAL, trialRunner } from './trial-runner'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { app, sql, url, call, readKey } = await createTestApp()
await sql`create table trial_steps (work_id uuid, step int, primary key (work_id, step))`
const deps = { sql, runner: trialRunner, log: pino({ level: 'silent' }), heartbeatMs: 50 }
const never = new AbortController().signal
const workOf = async (id: string) => (await call(`/v1/work/${id}`)).body
const countSteps = async (id: string) => (await sql`select from trial_steps where work_id = ${id}`).length
const connectionsOfTrials = async () =>
  (
    await sql`
      select from pg_stat_activity where datname = current_database() and application_name like 'test-trial%'`
  ).length
const children: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => child.exited))
})
const startProcess = () => {
  const child = Bun.spawn(commandOf('test/work/trial-process.ts', url, '1000'), {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  return child
}
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('while there is no work, the loop asks for all kinds at once, and still finds work that was not announced', async () => {
  let claims = 0
  const sweep = async () => {
    claims++
  }
  const kinds = ['one', 'two', 'three'].map((name) => ({ ...TRIAL, name }))
  const idle = kinds.map((kind): WorkRunner => ({ ...trialRunner, kind, sweep }))
  let polls = 0
  const counted = new Proxy(sql, {
    apply: (target, self, args: Parameters<typeof sql>) => {
      if (String(args[0]).includes('unnest')) polls++
      return Reflect.apply(target, self, args)
    },
  })
  const pollMs = 20
  const loop = createWorkLoop({ ...deps, sql: counted, runners: [trialRunner, ...idle], pollMs })
  const startedAt = performance.now()
  loop.start()
  await waitFor(() => polls >= 40)
  // Each runner claims at the start, when the loop begins to listen, and after the time of 15 polls.
  const most = 3 + (performance.now() - startedAt) / (15 * pollMs)
  expect(claims).toBeLessThanOrEqual(idle.length * most)
  expect(claims).toBeGreaterThanOrEqual(idle.length * 2)
  await sql`insert into work (kind, payload) values ('trial', '{"to": 1}')`
  await waitFor(async () => (await sql`select from work where kind = 'trial' and status = 'done'`).length === 1)
  await loop.stop()
  await sql`delete from work where kind = 'trial'`
})

test('work of a new kind is queued, run, listed and reported by events', async () => {
  const response = await app.handle(
    new Request('http://localhost/v1/events?types=work', { headers: { 'x-service-key': ADMIN_KEY } }),
  )
  const { events, cancel } = await readEventStream(response.body as ReadableStream)
  const { id, isNew } = await orderTrial(sql, { to: 3 })
  expect(isNew).toBe(true)
  expect(await workOf(id)).toMatchObject({ status: 'queued', attempts: 0, done: 0, total: null, started_at: null })
  expect(await takeWork(deps, { signal: never })).toBe(true)
  const done = {
    ...{
      id,
      kind: 'trial',
      subject: null,
      source: null,
      status: 'done',
      requested_by: 'operator',
      attempts: 1,
      done: 3,
      total: 3,
    },
    ...{
      payload: { to: 3 },
      result: { counted: 3 },
      error_code: null,
      error_message: null,
      created_at: MOMENT,
      started_at: MOMENT,
    },
    ...{ finished_at: MOMENT, waits_for: null, waits_until: null },
  }
  expect(await workOf(id)).toEqual(done)
  expect((await call('/v1/work?status=done')).body).toEqual({ count: 1, work: [done], next: null })
  await waitFor(() => events.at(-1)?.data.status === 'done')
  await cancel()
  const steps = events.map(({ event, data }) => `${event} ${data.kind} ${data.status} ${data.done}`)
  expect(steps).toEqual([
    'work trial queued 0',
    ...[
      'work trial running 0',
      'work trial running 1',
      'work trial running 2',
      'work trial running 3',
      'work trial done 3',
    ],
  ])
})

test('another process continues a killed worker’s work after the last step, and no step is done twice', async () => {
  const { id } = await orderTrial(sql, { to: 150 })
  const first = startProcess()
  await waitFor(async () => (await countSteps(id)) >= 10)
  first.kill('SIGKILL')
  await first.exited
  // A statement that the killed process has sent may still run.
  await waitFor(async () => (await connectionsOfTrials()) === 0)
  const at = (await workOf(id)).done
  expect(at).toBeLessThan(150)
  // The step that was stored, and not recorded as progress, would be refused a second time.
  await sql`delete from trial_steps where work_id = ${id} and step > ${at}`
  startProcess()
  await waitFor(async () => (await workOf(id)).status === 'done')
  expect(await workOf(id)).toMatchObject({ attempts: 2, done: 150, result: { counted: 150 }, error_code: null })
  expect(await countSteps(id)).toBe(150)
})

test('work that is cancelled while it runs stops, and says who cancelled it', async () => {
  const { id } = await orderTrial(sql, { to: 100_000 })
  startProcess()
  await waitFor(async () => (await workOf(id)).done > 3)
  const { status, body } = await call(`/v1/work/${id}`, { method: 'DELETE' })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ...{
      id,
      status: 'error',
      error_code: 'cancelled',
      error_message: `cancelled by ${ADMIN_KEY.slice(0, 8)}`,
      finished_at: MOMENT,
    },
  })
  // The worker is free again when it does the next work.
  const next = await orderTrial(sql, { to: 1 })
  await waitFor(async () => (await workOf(next.id)).status === 'done')
  expect((await workOf(id)).done).toBe(body.done)
  expect((await call(`/v1/work/${id}`, { method: 'DELETE' })).status).toBe(404)
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
})

test('a failed attempt is retried from its last step, and the work ends after as many failures as its kind allows', async () => {
  const { id } = await orderTrial(sql, { to: 5, failsAt: 3 })
  const retryDelay = () => 0
  await takeWork({ ...deps, retryDelay }, { id, signal: never })
  // The attempt made progress before it failed, so this is the first failure.
  expect(await workOf(id)).toMatchObject({ status: 'queued', attempts: 1, done: 2, error_code: 'internal' })
  await takeWork({ ...deps, retryDelay }, { id, signal: never })
  expect(await workOf(id)).toMatchObject({ status: 'queued', attempts: 2 })
  await takeWork({ ...deps, retryDelay }, { id, signal: never })
  expect(await workOf(id)).toMatchObject({ status: 'error', attempts: 3, error_message: 'internal error' })
  expect(await takeWork(deps, { id, signal: never })).toBe(false)
})

test('a worker that stops hands its work back, and another attempt continues it', async () => {
  const { id } = await orderTrial(sql, { to: 40 })
  const stop = new AbortController()
  const taken = takeWork(deps, { id, signal: stop.signal })
  await waitFor(async () => (await countSteps(id)) >= 3)
  stop.abort(new Error('stop'))
  await taken
  expect(await workOf(id)).toMatchObject({ status: 'queued', attempts: 1, error_code: null })
  await takeWork(deps, { id, signal: never })
  expect(await workOf(id)).toMatchObject({ status: 'done', attempts: 2 })
  expect(await countSteps(id)).toBe(40)
})

test('a former attempt neither advances nor ends the work of the current attempt, nor extends its lease', async () => {
  const { id } = await orderTrial(sql, { to: 1 })
  const [former, current] = [
    { id, attempt: 1 },
    { id, attempt: 2 },
  ]
  await claimWork(sql, { kind: 'trial', id, leaseMs: -1 })
  expect(await claimWork(sql, { kind: 'trial', id, leaseMs: 60_000 })).toMatchObject([current])
  const read = () => sql`select * from work where id = ${id}`
  const before = await read()
  const { lost, release } = holdWork(() => sql, former, { heartbeatMs: 1 })
  await waitFor(() => lost.aborted)
  release()
  expect(await sql.begin((tx) => lockWork(tx, former))).toBeNull()
  expect(await advanceWork(sql, former, { done: 1 })).toBe(false)
  expect(await finishWork(sql, former)).toBe(false)
  await failWork(sql, { ...former, code: 'timeout', message: 'too late', retryAfterMs: null, retryInMs: null })
  await handBackWork(sql, former)
  expect(await read()).toEqual(before)
  expect(await finishWork(sql, current)).toBe(true)
})

test('work ends with an error if its workers are lost repeatedly without progress', async () => {
  const { id } = await orderTrial(sql, { to: 1 })
  for (let failures = 0; failures < 3; failures++) {
    expect(await claimWork(sql, { kind: 'trial', id, leaseMs: -1 })).toMatchObject([{ failures }])
  }
  expect(await takeWork(deps, { id, signal: never })).toBe(false)
  expect(await workOf(id)).toMatchObject({ status: 'error', error_code: 'worker_lost' })
})

test('at most one work of a kind and subject is queued or running; a second request returns that one', async () => {
  const order = { kind: TRIAL, subject: 'roof', payload: { to: 1 }, requestedBy: null }
  const [one, ...others] = await Promise.all(Array.from({ length: 8 }, () => orderWork(sql, order)))
  expect(new Set([one, ...others].map((ordered) => ordered?.id)).size).toBe(1)
  expect([one, ...others].filter((ordered) => ordered?.isNew)).toHaveLength(1)
  await takeWork(deps, { id: one?.id ?? '', signal: never })
  expect(await orderWork(sql, order)).toMatchObject({ isNew: true })
})

test('work with a payload that does not match the schema of its kind is not queued', async () => {
  expect(orderWork(sql, { kind: TRIAL, subject: null, payload: { to: 0 }, requestedBy: null })).rejects.toThrow(
    'work of kind trial cannot be queued: payload.to must be a whole number of at least 1',
  )
})

test('one claim takes several pieces: the highest priority first, then the oldest, and none before its time', async () => {
  const order = { kind: { ...TRIAL, name: 'letter' }, subject: null, payload: { to: 1 }, requestedBy: null }
  const [first, second, urgent, later] = [
    await orderWork(sql, order),
    await orderWork(sql, order),
    await orderWork(sql, { ...order, priority: 1 }),
    await orderWork(sql, { ...order, notBefore: new Date(Date.now() + 60_000) }),
  ].map(({ id }) => id)
  const claim = async (limit: number) =>
    (await claimWork(sql, { kind: 'letter', leaseMs: 60_000, limit })).map(({ id }) => id)
  expect((await claim(2)).toSorted()).toEqual([first, urgent].toSorted() as string[])
  expect(await claim(9)).toEqual([second as string])
  await sql`update work set not_before = now() where id = ${later as string}`
  expect(await claim(9)).toEqual([later as string])
})

test('work with the same ordering key is done one piece after the other, also by several workers and after a failed attempt', async () => {
  const letters = { ...TRIAL, name: 'ordered' }
  const wanted: Record<string, string[]> = {}
  for (let n = 0; n < 60; n++) {
    const orderingKey = `parcel ${n % 6}`
    const { id } = await orderWork(sql, {
      kind: letters,
      subject: null,
      payload: { to: n + 1 },
      requestedBy: null,
      orderingKey,
    })
    wanted[orderingKey] = [...(wanted[orderingKey] ?? []), id]
  }
  const keyOf = new Map(Object.entries(wanted).flatMap(([key, ids]) => ids.map((id) => [id, key] as const)))
  const delivered: Record<string, string[]> = {}
  const runner = {
    ...{
      kind: letters,
      mostAtOnce: 1,
      claimSize: 10,
      mostFailures: 3,
      isWorthRetrying: () => true,
      retryDelayMs: () => 0,
    },
    run: async ({ id, attempt, payload }: ClaimedWork) => {
      if (attempt === 1 && Number(payload.to) % 7 === 0) throw new Error('the receiver is away')
      const key = keyOf.get(id) ?? ''
      delivered[key] = [...(delivered[key] ?? []), id]
      return { counted: 1 }
    },
  }
  const work = async () => {
    while ((await sql`select from work where kind = 'ordered' and status = 'queued'`).length > 0) {
      await takeWork({ ...deps, runner }, { signal: never })
    }
  }
  await Promise.all([work(), work(), work()])
  expect(delivered).toEqual(wanted)
})

test('the list can be filtered by kind, status and source, and has pages', async () => {
  await insertCounty(sql, 'elm')
  const ids: string[] = []
  // The list takes kinds that the service has.
  const survey = { kind: { ...TRIAL, name: 'export' }, payload: { to: 1 }, requestedBy: null }
  for (const subject of ['a', 'b', 'c']) {
    ids.unshift((await orderWork(sql, { ...survey, subject, source: 'elm' })).id)
  }
  await orderWork(sql, { ...survey, subject: 'd' })
  const list = async (query: string) => (await call(`/v1/work?kind=export&source=elm${query}`)).body
  const idsOf = ({ work }: { work: { id: string }[] }) => work.map(({ id }) => id)
  expect(idsOf(await list(''))).toEqual(ids)
  const page = await list('&limit=2')
  expect([idsOf(page), page.next]).toEqual([ids.slice(0, 2), ids[1] as string])
  expect(idsOf(await list(`&limit=2&after=${page.next}`))).toEqual(ids.slice(2))
  expect(idsOf(await list('&status=running'))).toEqual([])
  expect((await call('/v1/work?kind=export')).body.count).toBe(4)
})

test('403: a key without admin; 404: no such work; 400: an invalid status', async () => {
  const key = await readKey()
  for (const path of ['/v1/work', `/v1/work/${crypto.randomUUID()}`])
    expect((await call(path, { key })).status).toBe(403)
  expect((await call(`/v1/work/${crypto.randomUUID()}`, { method: 'DELETE', key })).status).toBe(403)
  expect((await call(`/v1/work/${crypto.randomUUID()}`)).status).toBe(404)
  expect((await call('/v1/work/x')).status).toBe(404)
  expect((await call('/v1/work?status=waiting')).status).toBe(400)
})

test('an idle runner polls once for all its places, and all of them work on what it finds', async () => {
  let polls = 0
  let running = 0
  const { promise: allWork, resolve } = Promise.withResolvers<void>()
  const runner: WorkRunner = {
    ...trialRunner,
    mostAtOnce: 4,
    sweep: async () => void polls++,
    run: async () => {
      if (++running === 4) resolve()
      await allWork
      return { counted: 1 }
    },
  }
  const pollMs = 100
  const startedAt = performance.now()
  const loop = createWorkLoop({ ...deps, runners: [runner], pollMs })
  loop.start()
  await waitFor(() => polls >= 15)
  // It also polls at the start, and when the process begins to listen for new work.
  expect(polls).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / pollMs + 1)
  // Without a notification.
  await sql`insert into work (kind, payload) select 'trial', '{"to": 1}' from generate_series(1, 4)`
  await allWork
  await loop.stop()
})
