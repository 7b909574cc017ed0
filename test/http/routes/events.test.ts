import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Logger, pino } from 'pino'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { enqueueJobs } from '../../../drizzle/queries/jobs/order/enqueue-jobs'
import { claimJobs } from '../../../drizzle/queries/jobs/run/claim-jobs'
import { completeJobs } from '../../../drizzle/queries/jobs/run/complete-jobs'
import { revokeKey } from '../../../drizzle/queries/people/api-keys'
import { findPresent, forgetEvents, type StoredEvent } from '../../../drizzle/queries/service/events'
import type { EventKind } from '../../../drizzle/schema/values'
import { authorizeAgain } from '../../../src/http/callers/auth'
import { openEventStream } from '../../../src/http/convention/response/event-stream'
import { createEventFeed } from '../../../src/operations/observe/event-feed'
import { issueKey } from '../../../src/people/issue-key'
import { waitFor } from '../../support/servers'
import { readEventStream, waitForEarlierEvents } from '../event-source'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

const { app, sql, url, call, readKey, eventFeed } = await createTestApp()
await insertCounty(sql)
app.listen({ port: 0, hostname: '127.0.0.1' })
const base = `http://127.0.0.1:${app.server?.port}`
const aborts: AbortController[] = []
afterAll(async () => {
  for (const abort of aborts) abort.abort()
  await eventFeed.stop()
  await app.stop()
})

const open = async (key: string, { path = '/v1/events', lastEventId = '' } = {}) => {
  const abort = new AbortController()
  aborts.push(abort)
  const response = await fetch(`${base}${path}`, {
    headers: { 'x-service-key': key, ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  })
  if (response.body === null || response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return { ...readEventStream(response.body, lastEventId), headers: response.headers, close: () => abort.abort() }
}

const paidKey = async () => (await issueKey(sql, { name: 'paid', capabilities: ['enqueue'] })).key
let parcels = 0
const newParcel = () => `p-${++parcels}`
const enqueue = async (key: string, id = newParcel()): Promise<string> => {
  const { body } = await call('/v1/scrape-jobs', { method: 'POST', key, body: { source: 'elm', source_parcel_id: id } })
  return body.jobs[0].id
}
const work = async (id: string): Promise<void> => {
  expect((await claimJobs(sql, [{ id, attempts: 0 }], 60_000)).claimed).toHaveLength(1)
  await sql.begin((tx) => completeJobs(tx, [{ id, attempt: 1 }]))
}
const storyOf = (events: { data: { id: string; status: string } }[], id: string) =>
  events.filter(({ data }) => data.id === id).map(({ data }) => data.status)

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('callers', () => {
  test('a key receives only events of the jobs that it queued, from queued to done; an admin receives all', async () => {
    const [mine, other] = [await paidKey(), await paidKey()]
    const [own, foreign, admins] = [await open(mine), await open(other), await open(ADMIN_KEY)]
    const id = await enqueue(mine)
    await work(id)
    const { jobs } = await enqueueJobs(sql, [{ source: 'elm', sourceParcelId: newParcel() }], null)
    const scheduled = jobs[0]?.id ?? ''
    await waitFor(() => storyOf(own.events, id).length === 3 && storyOf(admins.events, scheduled).length === 1)
    expect(storyOf(own.events, id)).toEqual(['queued', 'running', 'done'])
    expect(storyOf(admins.events, id)).toEqual(['queued', 'running', 'done'])
    expect(own.events.every(({ data }) => data.id === id)).toBe(true)
    expect(foreign.events).toEqual([])
    expect(own.events.at(-1)).toEqual({
      id: expect.stringMatching(/^\d+-\d+$/),
      event: 'job',
      data: {
        id,
        source: 'elm',
        source_parcel_id: expect.any(String),
        vendor: 'arcgis-rest',
        status: 'done',
        attempts: 1,
        error_message: null,
        created_at: expect.stringMatching(TIME),
        duration_ms: expect.any(Number),
        at: expect.stringMatching(TIME),
      },
    })
    for (const stream of [own, foreign, admins]) stream.close()
  })

  test('a caller who requests a parcel that is already queued receives events of that job', async () => {
    const [first, second] = [await paidKey(), await paidKey()]
    const [a, b] = [await open(first), await open(second)]
    const parcel = newParcel()
    const id = await enqueue(first, parcel)
    expect(await enqueue(second, parcel)).toBe(id)
    expect(await enqueue(second, parcel)).toBe(id)
    await work(id)
    await waitFor(() => storyOf(a.events, id).at(-1) === 'done' && storyOf(b.events, id).at(-1) === 'done')
    expect(storyOf(b.events, id)).toEqual(['running', 'done'])
    const [row] = await sql`select cardinality(watchers) as n from scrape_jobs where id = ${id}`
    expect(row?.n).toBe(2)
    for (const stream of [a, b]) stream.close()
  })

  test('types filters the events', async () => {
    const [all, none] = [await open(ADMIN_KEY), await open(ADMIN_KEY, { path: '/v1/events?types=reindex,tile_build' })]
    const id = await enqueue(await paidKey())
    await waitFor(() => storyOf(all.events, id).length === 1)
    expect(none.events).toEqual([])
    for (const stream of [all, none]) stream.close()
  })
})

test('no event is missed or repeated, however transactions overlap and however often the stream breaks', async () => {
  const writers = connectDatabase(url, { max: 8 })
  const step = fc.record({
    writers: fc.array(
      fc.record({
        jobs: fc.integer({ min: 1, max: 5 }),
        holdMs: fc.integer({ min: 0, max: 30 }),
        rollBack: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
    breaks: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const expected = new Set<string>()
      const told: string[] = []
      let stream = await open(ADMIN_KEY)
      const running: Promise<void>[] = []
      for (const { writers: many, breaks } of steps) {
        for (const { jobs, holdMs, rollBack } of many) {
          const write = writers.begin(async (tx) => {
            const ids: string[] = []
            for (let n = 0; n < jobs; n++) {
              const [row] = await tx<{ id: string }[]>`
                insert into scrape_jobs (source, source_parcel_id, vendor) values ('elm', ${newParcel()}, 'arcgis-rest') returning id`
              ids.push(row?.id ?? '')
              await Bun.sleep(holdMs / jobs)
            }
            if (rollBack) throw new Error('rolled back')
            for (const id of ids) expected.add(id)
          })
          running.push((write as Promise<void>).catch(() => {}))
        }
        await Bun.sleep(5)
        if (!breaks) continue
        stream.close()
        await stream.ended
        told.push(...stream.events.map(({ data }) => data.id))
        stream = await open(ADMIN_KEY, { lastEventId: stream.state.lastEventId })
      }
      await Promise.all(running)
      await waitFor(() => told.length + stream.events.length >= expected.size)
      // A repeated event would arrive immediately.
      const marker = await enqueue(ADMIN_KEY)
      await waitFor(() => stream.events.some(({ data }) => data.id === marker))
      stream.close()
      told.push(...stream.events.map(({ data }) => data.id))
      expect(told.filter((id) => id !== marker).sort()).toEqual([...expected].sort())
    }),
    { numRuns: 15, seed: 9 },
  )
  await writers.end()
})

describe('resuming', () => {
  test('a stream resumes after its last event by Last-Event-ID or after, in pages, and then continues live', async () => {
    const key = await paidKey()
    const stream = await open(key)
    await enqueue(key)
    await waitFor(() => stream.events.length === 1)
    stream.close()
    const orders = Array.from({ length: 1_500 }, () => ({ source: 'elm', sourceParcelId: newParcel() }))
    const [{ watchers } = { watchers: [] }] = await sql<
      { watchers: string[] }[]
    >`select watchers from scrape_jobs where id = ${stream.events[0]?.data.id}`
    const { jobs } = await enqueueJobs(sql, orders, { name: 'x', watcher: watchers[0] ?? null })
    const { lastEventId } = stream.state
    const [byHeader, byQuery] = [
      await open(key, { lastEventId }),
      await open(key, { path: `/v1/events?after=${lastEventId}` }),
    ]
    const last = await enqueue(key)
    for (const { events, close } of [byHeader, byQuery]) {
      await waitFor(() => events.length === 1_501)
      expect(new Set(events.map(({ data }) => data.id)).size).toBe(1_501)
      expect(
        events
          .slice(0, -1)
          .map(({ data }) => data.id)
          .sort(),
      ).toEqual(jobs.map(({ id }) => id).sort())
      expect(events.at(-1)?.data.id).toBe(last)
      close()
    }
  })

  test('resuming after a deleted event sends a reset, then continues with new events', async () => {
    const before = await open(ADMIN_KEY)
    await enqueue(ADMIN_KEY)
    await waitFor(() => before.events.length === 1)
    before.close()
    await enqueue(ADMIN_KEY)
    await sql`update events set at = at - interval '2 hours'`
    await waitFor(async () => {
      await forgetEvents(sql, { hours: 1, limit: 10_000 })
      return (await sql`select from events`).length === 0
    })
    const { lastEventId } = before.state
    const after = await open(ADMIN_KEY, { lastEventId })
    const id = await enqueue(ADMIN_KEY)
    await waitFor(() => after.events.length === 2)
    expect(after.events.map(({ event }) => event)).toEqual(['reset', 'job'])
    expect(after.events[1]?.data.id).toBe(id)
    after.close()
    // So is a position of another database.
    const elsewhere = await open(ADMIN_KEY, { lastEventId: `${2n ** 63n}-1` })
    await waitFor(() => elsewhere.events.length === 1)
    expect(elsewhere.events[0]?.event).toBe('reset')
    elsewhere.close()
  })

  test('events within the retention time are kept', async () => {
    const id = await enqueue(ADMIN_KEY)
    expect(await forgetEvents(sql, { hours: 1, limit: 10_000 })).toBe(0)
    expect(await sql`select from events where job_id = ${id}`).toHaveLength(1)
  })
})

describe('a stream', () => {
  const follow = async (
    db: Sql,
    {
      log = pino({ level: 'silent' }),
      kinds = ['job'],
      ...options
    }: {
      log?: Logger
      kinds?: EventKind[]
      heartbeatMs?: number
      bufferBytes?: number
      authorizeAgain?: () => Promise<void>
    } = {},
    after: string | null = null,
  ) => {
    const feed = createEventFeed(db, { log, pollMs: 10 })
    let isDisconnected = false
    const body = await openEventStream(
      {
        ...feed,
        async follow(...args) {
          const follower = await feed.follow(...args)
          return {
            ...follower,
            close() {
              isDisconnected = true
              follower.close()
            },
          }
        },
      },
      { watcher: crypto.randomUUID(), seesAll: true, kinds, after },
      { authorizeAgain: async () => {}, isRefusal: (error) => error === 'refused', ...options },
    )
    return { feed, body, isDisconnected: () => isDisconnected }
  }

  test('each heartbeat carries the current position, even when no event matched', async () => {
    // No test makes events of this kind. Those of the tests before may still arrive, because open transactions hold them back.
    const { feed, body } = await follow(sql, { kinds: ['reindex'], heartbeatMs: 20 })
    const stream = readEventStream(body)
    await waitFor(() => stream.state.lastEventId !== '')
    const first = stream.state.lastEventId
    await sql`select pg_current_xact_id()`
    await waitFor(() => stream.state.lastEventId !== first)
    expect(stream.events).toEqual([])
    await feed.stop()
    expect(await stream.ended).toBe('ended')
  })

  test('disconnects a client that does not read; the client misses nothing when it reconnects', async () => {
    // Events of the tests before would be in the stream, too.
    await waitForEarlierEvents(sql)
    const { feed, body, isDisconnected } = await follow(sql, { bufferBytes: 2_000 })
    const ids = new Set<string>()
    // The buffer holds about ten events. One batch may exceed it, because transactions of other tests hold events back.
    await waitFor(async () => {
      ids.add(await enqueue(ADMIN_KEY))
      return isDisconnected()
    })
    const stream = readEventStream(body)
    expect(await stream.ended).toBe('ended')
    expect(stream.events.length).toBeLessThan(ids.size)
    expect(stream.events.length).toBeGreaterThan(0)
    const again = await follow(sql, {}, stream.state.lastEventId)
    const rest = readEventStream(again.body)
    await waitFor(() => stream.events.length + rest.events.length === ids.size)
    expect([...stream.events, ...rest.events].map(({ data }) => data.id)).toEqual([...ids])
    await Promise.all([feed.stop(), again.feed.stop()])
  })

  test('a client that disconnects while it catches up gets no later event', async () => {
    const feed = createEventFeed(sql, { log: pino({ level: 'silent' }), pollMs: 10 })
    const { present: after } = await findPresent(sql, null)
    await enqueue(ADMIN_KEY)
    const follow = (into: StoredEvent[]) =>
      feed.follow(
        { watcher: crypto.randomUUID(), seesAll: true, kinds: ['tile_build'], after },
        { onEvents: (events) => into.push(...events), onStopped: () => {} },
      )
    const received = { closed: [] as StoredEvent[], open: [] as StoredEvent[] }
    const [closed, open] = [await follow(received.closed), await follow(received.open)]
    const caughtUp = closed.catchUp()
    closed.close()
    await caughtUp
    expect(await open.catchUp()).toBe('live')
    await sql`insert into events (kind, payload) values ('tile_build', '{}')`
    await waitFor(() => received.open.length > 0)
    expect(received.closed).toEqual([])
    await feed.stop()
  })

  test('ends when its key is revoked, but not while the database is unavailable', async () => {
    let answer: unknown = new Error('CONNECTION_CLOSED')
    let asked = 0
    const { feed, body } = await follow(sql, {
      heartbeatMs: 10,
      authorizeAgain: async () => {
        asked++
        throw answer
      },
    })
    const stream = readEventStream(body)
    await waitFor(() => asked > 3)
    const { blocks } = stream.state
    await waitFor(() => stream.state.blocks > blocks)
    answer = 'refused'
    expect(await stream.ended).toBe('ended')
    await feed.stop()
  })

  test('checks the key it was opened with, and its capabilities', async () => {
    const { id, key } = await issueKey(sql, { name: 'reader', capabilities: [] })
    const request = new Request('http://localhost/v1/events', { headers: { 'x-service-key': key } })
    const { body } = await app.handle(request)
    expect(await authorizeAgain(request)).toBeUndefined()
    for (const capability of ['enqueue', 'bulk-export']) {
      await sql`update api_keys set capabilities = array[${capability}] where id = ${id}`
      await expect(authorizeAgain(request)).rejects.toMatchObject({ status: 403 })
    }
    await revokeKey(sql, id)
    await expect(authorizeAgain(request)).rejects.toMatchObject({ status: 401 })
    await body?.cancel()
  })

  test('continues after the database was unavailable, and misses nothing', async () => {
    const reader = connectDatabase(url, { max: 1, applicationName: 'event-reader' })
    const { feed, body } = await follow(reader)
    const stream = readEventStream(body)
    const ids = [await enqueue(ADMIN_KEY)]
    await waitFor(() => stream.events.length === 1)
    for (let n = 0; n < 3; n++) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'event-reader'`
      ids.push(await enqueue(ADMIN_KEY))
    }
    await waitFor(() => stream.events.length === ids.length)
    expect(stream.events.map(({ data }) => data.id)).toEqual(ids)
    await feed.stop()
    await reader.end()
  })

  test('logs once that the database is unavailable, not at every retry', async () => {
    const reader = connectDatabase(url, { max: 1 })
    let asked = 0
    const db = new Proxy(reader, {
      apply: (target, self, args) => {
        asked++
        return Reflect.apply(target as never, self, args)
      },
    })
    const warnings: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
    const { feed, body } = await follow(db, { log })
    await reader.end()
    asked = 0
    await waitFor(() => asked > 10)
    expect(warnings).toEqual([expect.stringContaining('events could not be read; retrying')])
    await body.cancel()
    await feed.stop()
  })

  test('must be neither cached nor buffered by proxies', async () => {
    const { headers, close } = await open(ADMIN_KEY)
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('cache-control')).toBe('no-store, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('content-encoding')).toBeNull()
    close()
    const head = await fetch(`${base}/v1/events`, { method: 'HEAD', headers: { 'x-service-key': ADMIN_KEY } })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })
})

describe('errors', () => {
  test('400: an invalid position, an unknown type', async () => {
    for (const lastEventId of ['x', '1', '1-', '-1', '1-2-3', `${2n ** 64n}-1`, `1-${2n ** 63n}`]) {
      const { status, body } = await call('/v1/events', { headers: { 'last-event-id': lastEventId } })
      expect(status, lastEventId).toBe(400)
      expect(body.error).toBe('Last-Event-ID (or after) must be the id of an event from this stream')
    }
    expect((await call('/v1/events?types=parcels')).body.error).toBe(
      'types must be a comma-separated subset of job, crawl, reindex, tile_build, work, watch, load, source',
    )
  })

  test('401: no key', async () => {
    expect((await call('/v1/events', { key: null })).status).toBe(401)
  })

  test('429: more than ten streams of one key; other keys are not affected, and a closed stream frees its place', async () => {
    const [key, other] = [await readKey(), await readKey()]
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(key)))
    const refused = await call('/v1/events', { key })
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'this key or account already has 10 open streams: close one' },
    })
    expect(refused.headers.get('retry-after')).toBe('5')
    streams.push(await open(other))
    streams[0]?.close()
    await waitFor(async () => {
      const again = await open(key).catch(() => null)
      if (again !== null) streams.push(again)
      return again !== null
    })
    for (const { close } of streams) close()
  })
})

test('when the service stops, each open stream ends cleanly', async () => {
  const other = await createTestApp()
  other.app.listen({ port: 0, hostname: '127.0.0.1' })
  const response = await fetch(`http://127.0.0.1:${other.app.server?.port}/v1/events`, {
    headers: { 'x-service-key': ADMIN_KEY },
  })
  if (response.body === null) throw new Error('no body')
  const stream = readEventStream(response.body)
  await waitFor(() => stream.state.lastEventId !== '')
  await other.eventFeed.stop()
  await other.app.stop()
  expect(await stream.ended).toBe('ended')
  expect((await other.call('/v1/events')).status).toBe(503)
})
