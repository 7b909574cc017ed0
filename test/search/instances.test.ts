import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { connectDatabase } from '../../core/postgres/database'
import { readPrimary } from '../../core/postgres/replicas/reads'
import { ServiceError } from '../../core/service-error'
import { ALL_STATES, hasState, type StateSet } from '../../core/state-set'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { requestSearchWork } from '../../drizzle/queries/search/search-index-work'
import { routeChanges } from '../../drizzle/queries/search/search-queues'
import { decodeCursor } from '../../search/cursor'
import type { SearchHit } from '../../search/hits'
import { connectMeilisearch, type MeilisearchAddress } from '../../search/index/indexes'
import { type Instance, nameInstance } from '../../search/index/instances'
import { hashSearch, type SearchParams } from '../../search/query/query'
import { createSearch, type Search, type SearchAnswer } from '../../search/search'
import { createSearchSync, type SyncEvent } from '../../search/sync/sync'
import { findFreePort } from '../../src/operations/embedded/child'
import { type EmbeddedMeilisearch, startMeilisearch } from '../../src/operations/embedded/meilisearch'
import { registerSyncMetrics } from '../../src/operations/observe/sync-metrics'
import { createTestDatabase, testMeilisearch, waitFor } from '../support/servers'
import { readBothSides } from './expected-index'
import { startMeilisearchProxy } from './meilisearch-proxy'
import { PATIENT } from './patient'

/** Three real instances of Meilisearch, and the one of the test run, which has the same parcels. */

const { url, sql } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'instances-'))
const indexPrefix = `instances_${process.pid}_`

class Server {
  readonly #dir: string
  readonly #port: number
  #running: EmbeddedMeilisearch | null = null
  constructor(name: string, port: number) {
    this.#dir = join(dir, name)
    this.#port = port
  }
  async start(): Promise<MeilisearchAddress> {
    this.#running = await startMeilisearch(this.#dir, { port: this.#port })
    if (this.#running === null) throw new Error('there is no Meilisearch for this platform')
    return this.#running
  }
  async kill(): Promise<void> {
    if (this.#running === null) return
    process.kill(this.#running.pid, 'SIGKILL')
    await this.#running.exited
  }
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#running !== null) process.kill(this.#running.pid, signal)
  }
}

const servers = await Promise.all(['or-wa', 'me', 'others'].map(async (name) => new Server(name, await findFreePort())))
const [, east] = servers as [Server, Server, Server]
const addresses = await Promise.all(servers.map((server) => server.start()))
const withStates = (place: number, states: StateSet): Instance => ({
  url: addresses[place]?.url ?? '',
  masterKey: addresses[place]?.masterKey ?? null,
  states,
})
const only = (...codes: string[]): StateSet => ({ codes, isExcept: false })
const allBut = (...codes: string[]): StateSet => ({ codes, isExcept: true })
const instances = [withStates(0, only('OR', 'WA')), withStates(1, only('ME')), withStates(2, allBut('OR', 'WA', 'ME'))]

const STATES = ['OR', 'WA', 'ME', 'NH', 'VT']
const FIRST_NAMES = ['ANN', 'BOB', 'CY', 'DEE', 'EVA', 'FRED', 'GUS']
const STREETS = ['HOLLOW RD', 'OAK ST', 'ELM AVE', 'HOLLOW ST']
const sourceOf = (state: string) => `elm_${state.toLowerCase()}`
const parcelsOf = (state: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    sourceParcelId: `${state}${n}`,
    ownerName: `HOLLOW ${FIRST_NAMES[n % FIRST_NAMES.length]}${n % 3 === 0 ? ` ${n}` : ''}`,
    situsAddress: `${n} ${STREETS[n % STREETS.length]}`,
    situsCity: `${state}VILLE`,
  }))

const events: SyncEvent[] = []
const sync = createSearchSync({
  databaseUrl: url,
  meili: instances,
  indexPrefix,
  onEvent: (event) => events.push(event),
})
const single = createSearch({
  sql,
  meili: testMeilisearch(),
  indexPrefix,
  limits: PATIENT,
})
const search = createSearch({ sql, meili: instances, indexPrefix, limits: PATIENT })

beforeAll(async () => {
  for (const state of STATES) {
    await sql`
      insert into sources (source, state, county_name, vendor, base_url)
      values (${sourceOf(state)}, ${state}, 'Elm', 'pacs', 'https://example.com')`
    await upsertParcels(sql, sourceOf(state), parcelsOf(state, 60))
    await upsertEntities(
      sql,
      state,
      Array.from({ length: 12 }, (_, n) => ({ registryNumber: `${n}`, name: `HOLLOW ${state} ${n} LLC` })),
    )
  }
  // The single instance gets the same documents.
  await createSearchSync({ databaseUrl: url, meili: testMeilisearch(), indexPrefix }).rebuild()
  sync.start()
  await sync.drain()
  for (const one of [single, search]) await one.refreshVocabulary()
})
afterAll(async () => {
  for (const server of servers) {
    server.signal('SIGCONT')
    await server.kill()
  }
  await sync.stop()
  rmSync(dir, { recursive: true, force: true })
})

const paramsOf = (q: string, more: Partial<Omit<SearchParams, 'filter'>> & { state?: string } = {}): SearchParams => {
  const { state = null, ...others } = more
  return {
    ...{ q, limit: 20, types: ['parcels', 'entities'], filter: { ...LISTED_PARCELS, state } },
    ...{ lat: null, lon: null, proximityKm: 50, group: null },
    ...others,
  }
}
const ask = (of: Search, q: string, more?: Parameters<typeof paramsOf>[1]) => of.search(paramsOf(q, more))
/** Searches again if PostgreSQL answered in place of a busy Meilisearch. */
const askWell = async (...asked: Parameters<typeof ask>) => {
  for (;;) {
    const answer = await ask(...asked)
    if (!answer.degraded) return answer
  }
}
const nameOf = (hit: SearchHit): string =>
  hit.kind === 'parcel' ? hit.source_parcel_id : hit.kind === 'entity' ? hit.name : `owner ${hit.owner_name}`

/** Each instance has exactly the documents of its states. */
const expectAgreement = async () => {
  for (const instance of instances) {
    const { wanted, indexed } = await readBothSides(sql, instance, indexPrefix)
    const parcels = wanted.parcels.filter(({ state }) => hasState(instance.states, state))
    const entities = wanted.entities.filter(({ jurisdiction }) => hasState(instance.states, jurisdiction))
    expect(indexed).toEqual({ parcels, entities } as unknown as typeof indexed)
  }
}

test('each instance is built with its states alone, one after the other', async () => {
  const builds = events.flatMap(({ kind }) => (kind === 'rebuild_started' || kind === 'rebuilt' ? [kind] : []))
  expect(builds).toEqual(['rebuild_started', 'rebuilt', 'rebuild_started', 'rebuilt', 'rebuild_started', 'rebuilt'])
  await expectAgreement()
})

test('three instances give the hits of one, with the same scores, in the same order', async () => {
  const searches = fc.record({
    q: fc.constantFrom(
      ...['hollow', 'hollow ann', 'holow', 'hollow rd', 'ho', '3 hollow rd', 'eva hollow', 'hollow or', 'OR12'],
      ...['12 oak st me', '12 oak st orville', 'hollow vt 3 llc', 'oak', 'hollow fred 15', 'fred holow', 'hollow xyz'],
    ),
    more: fc.record(
      {
        state: fc.constantFrom('OR', 'ME', 'VT', 'TX'),
        group: fc.constant('owner' as const),
        types: fc.constantFrom(['parcels'] as const, ['entities'] as const),
        limit: fc.integer({ min: 5, max: 100 }),
      },
      { requiredKeys: [] },
    ),
  })
  await fc.assert(
    fc.asyncProperty(searches, async ({ q, more }) => {
      // All hits are counted, so both read all candidates. Otherwise three instances return more of them than one.
      const wanted = await askWell(single, q, { ...more, counts: true })
      const found = await askWell(search, q, { ...more, counts: true })
      expect(found.hits.map((hit) => [hit.score, nameOf(hit)])).toEqual(
        wanted.hits.map((hit) => [hit.score, nameOf(hit)]),
      )
      const totals = ({ total, isTotalExact, corrected, next }: typeof found) => ({
        ...{ total, isTotalExact, corrected, hasNext: next !== null },
      })
      expect(totals(found)).toEqual(totals(wanted))
    }),
    { numRuns: 40 },
  )
})

test('three instances return the same pages as one', async () => {
  const readPages = async (of: Search, group: 'owner' | null): Promise<string[]> => {
    const names: string[] = []
    let isWell = true
    for (let next: string | null = null, page = 0; page === 0 || next !== null; page++) {
      const params = { ...paramsOf('hollow', { group, limit: group === null ? 40 : 15 }), counts: true }
      const after = next === null ? null : decodeCursor(next, hashSearch(params))
      const answer = await of.search({ ...params, after })
      isWell &&= !answer.degraded
      names.push(...answer.hits.map(nameOf))
      next = answer.next
    }
    return isWell ? names : readPages(of, group)
  }
  for (const group of [null, 'owner' as const]) {
    const names = await readPages(search, group)
    expect(names.length).toBeGreaterThan(30)
    expect(names).toEqual(await readPages(single, group))
  }
})

test('the first page of three instances is as good as that of one, although they read only some of the candidates', async () => {
  for (const q of ['hollow', 'oak st', '3 hollow rd', 'hollow ann', 'holow eva']) {
    const scores = async (of: Search) => (await askWell(of, q)).hits.map(({ score }) => score)
    const [found, wanted] = [await scores(search), await scores(single)]
    expect(found.length).toBe(wanted.length)
    for (const [place, score] of wanted.entries()) expect(found[place] ?? 0).toBeGreaterThanOrEqual(score)
  }
})

const countRequests = async (of: () => Promise<unknown>): Promise<number[]> => {
  const counts = instances.map(() => 0)
  const proxies = instances.map((instance, place) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { pathname } = new URL(request.url)
        if (pathname === '/multi-search') counts[place] = (counts[place] ?? 0) + 1
        const body = request.method === 'GET' ? null : await request.text()
        return fetch(instance.url + pathname, { method: request.method, headers: request.headers, body })
      },
    }),
  )
  watched = createSearch({
    sql,
    meili: instances.map((instance, place) => ({ ...instance, url: `http://127.0.0.1:${proxies[place]?.port}` })),
    indexPrefix,
    limits: PATIENT,
  })
  await of()
  for (const proxy of proxies) await proxy.stop(true)
  return counts
}
let watched = search

test('a search in one state goes only to its instance, whether the state is a filter or in the text', async () => {
  const [west = 0, east = 0, others = 0] = await countRequests(() => ask(watched, 'hollow ann', { state: 'ME' }))
  expect([west, east > 0, others]).toEqual([0, true, 0])
  const inText = await countRequests(() => ask(watched, 'hollow ann maine'))
  expect(inText.map((count) => count > 0)).toEqual([false, true, false])
  const everywhere = await countRequests(() => ask(watched, 'hollow ann'))
  expect(everywhere.map((count) => count > 0)).toEqual([true, true, true])
})

test('one instance can be compared and rebuilt alone', async () => {
  const name = nameInstance(instances[1] as Instance)
  const alone = createSearchSync({ databaseUrl: url, meili: instances, indexPrefix })
  const seen = new Set<string>()
  expect(await alone.rebuild((_, __, instance) => seen.add(instance), name)).toBe(72)
  expect([...seen]).toEqual([name])
  expect(await alone.repair(name)).toMatchObject({ parcels: 0, entities: 0 })
  await expect(alone.rebuild(undefined, 'elsewhere:7700')).rejects.toThrow(`there is no instance elsewhere:7700`)
})

test('a source that moves to another state moves to another instance, and is never in a list twice', async () => {
  const list = async () => {
    const { hits } = await ask(search, 'hollow', { types: ['parcels'], limit: 100, counts: true })
    return hits.map(nameOf)
  }
  await sql`update sources set state = 'ME' where source = 'elm_wa'`
  for (let isCurrent = false; !isCurrent; ) {
    isCurrent = (await sync.depth()) === 0
    const names = await list()
    expect(new Set(names).size).toBe(names.length)
  }
  await sync.drain()
  await expectAgreement()
  expect((await ask(search, 'hollow', { state: 'ME', types: ['parcels'], counts: true })).total).toBe(120)
  expect((await ask(search, 'hollow', { state: 'WA', types: ['parcels'], counts: true })).total).toBe(0)
  await sql`update sources set state = 'WA' where source = 'elm_wa'`
  await sync.drain()
  await expectAgreement()
})

/** Null: on a busy machine, PostgreSQL found nothing in time. */
const askIfAvailable = (...asked: Parameters<typeof ask>): Promise<SearchAnswer | null> =>
  ask(...asked).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'search_unavailable') return null
    throw error
  })

/** Searches all the time, until `stop`, which returns the answers in two states. */
const searchAllTheTime = (of: Search) => {
  const answers: { state: string; degraded: boolean; hits: number }[] = []
  let isStopped = false
  const run = async (state: string) => {
    for (let n = 0; !isStopped; n++) {
      const name = FIRST_NAMES[n % FIRST_NAMES.length]?.toLowerCase()
      const answer = await askIfAvailable(of, `hollow ${name}`, { state })
      if (answer !== null) answers.push({ state, degraded: answer.degraded, hits: answer.hits.length })
      await Bun.sleep(20)
    }
  }
  const ended = Promise.all([run('OR'), run('ME')])
  return {
    in: (state: string) => answers.filter((answer) => answer.state === state),
    stop: async () => {
      isStopped = true
      await ended
    },
  }
}

/** Waits until PostgreSQL answers for Maine, and Meilisearch for Oregon. */
const waitForWell = (load: ReturnType<typeof searchAllTheTime>) => {
  const before = load.in('OR').length
  return waitFor(
    () =>
      load.in('ME').at(-1)?.degraded === true &&
      load
        .in('OR')
        .slice(before)
        .some(({ degraded }) => !degraded),
  )
}

test('an instance killed under load: PostgreSQL answers for its states, the others are not touched, and it catches up', async () => {
  const health: [string, boolean][] = []
  const loaded = createSearch({
    sql,
    meili: instances,
    indexPrefix,
    limits: PATIENT,
    onHealthChange: ({ states }, healthy) => health.push([states.codes.join(), healthy]),
  })
  const load = searchAllTheTime(loaded)
  await waitFor(() => load.in('ME').length > 5)
  await east.kill()
  await waitFor(() => load.in('ME').some(({ degraded }) => degraded))
  expect(await ask(loaded, 'hollow ann', { counts: true })).toMatchObject({ degraded: true })
  await waitFor(async () => {
    const { hits } = await ask(loaded, 'hollow ann 21', { types: ['parcels'], limit: 100 })
    return new Set(hits.map((hit) => nameOf(hit).slice(0, 2))).size === STATES.length
  })
  await waitForWell(load)

  // A change in another state is searchable soon. A change in its own state waits, even if the parcel has left the state.
  await upsertParcels(sql, 'elm_or', [{ sourceParcelId: 'OR1', ownerName: 'WHILE AWAY' }])
  await upsertParcels(sql, 'elm_me', [{ sourceParcelId: 'ME1', ownerName: 'WHILE AWAY' }])
  await sql`delete from parcels where source_parcel_id = 'ME2'`
  await sql`update sources set state = 'NH' where source = 'elm_me'`
  await waitFor(async () => (await askIfAvailable(loaded, 'while away', { state: 'OR' }))?.hits.length === 1)
  await waitFor(async () => (await askIfAvailable(loaded, 'while away', { state: 'NH' }))?.hits.length === 1)
  const metrics = new Registry()
  registerSyncMetrics(metrics).watch(sync)
  const listBehind = async () => {
    const rows = (await metrics.getSingleMetricAsString('search_instance_outbox_rows')).split('\n')
    return rows.flatMap((row) => (/ [1-9]\d*$/.test(row) ? [/states="([^"]*)"/.exec(row)?.[1]] : []))
  }
  await waitFor(async () => String(await listBehind()) === 'ME')

  await east.start()
  await sync.drain()
  await waitFor(() => load.in('ME').at(-1)?.degraded === false)
  await load.stop()
  const ofEast = health.flatMap(([states, healthy]) => (states === 'ME' ? [healthy] : []))
  expect([ofEast[0], ofEast.at(-1)]).toEqual([false, true])
  expect(load.in('OR').every(({ degraded, hits }) => degraded || hits > 0)).toBe(true)
  await expectAgreement()
  await sql`update sources set state = 'ME' where source = 'elm_me'`
  await sync.drain()
  await expectAgreement()
})

test('a frozen instance delays no search in other states, and is used again when it continues', async () => {
  const loaded = createSearch({ sql, meili: instances, indexPrefix })
  const load = searchAllTheTime(loaded)
  await waitFor(() => load.in('ME').length > 5)
  east.signal('SIGSTOP')
  try {
    await waitFor(() => load.in('ME').some(({ degraded }) => degraded))
    await upsertParcels(sql, 'elm_or', [{ sourceParcelId: 'OR3', ownerName: 'WHILE FROZEN' }])
    // Before it is indexed, only the parcel of "while away" is found. Afterwards that one may be found, too.
    await waitFor(async () => {
      const answer = await askIfAvailable(loaded, 'while frozen', { state: 'OR' })
      return answer?.hits.some((hit) => hit.kind === 'parcel' && hit.source_parcel_id === 'OR3') === true
    }, 90_000)
    await waitForWell(load)
  } finally {
    east.signal('SIGCONT')
  }
  await waitFor(() => load.in('ME').at(-1)?.degraded === false)
  await load.stop()
  await sync.drain()
  await expectAgreement()
})

test('when states move to other instances, each is built in its new instance and deleted from its old one', async () => {
  const moved = [withStates(0, only('OR')), withStates(1, only('ME', 'WA')), withStates(2, allBut('OR', 'ME', 'WA'))]
  const before = createSearch({ sql, meili: moved, indexPrefix, limits: PATIENT })
  const expectAll = async () => {
    const answer = await askIfAvailable(before, 'oak st', { types: ['parcels'], state: 'WA' })
    if (answer !== null) expect(answer.hits.length).toBeGreaterThan(5)
  }
  // Even the first search does not count on an index that lacks the state.
  await expectAll()
  await waitFor(async () => (await askIfAvailable(before, 'oak st', { state: 'WA' }))?.degraded === true)
  await expectAll()
  const after = createSearchSync({ databaseUrl: url, meili: moved, indexPrefix })
  await expect(after.rebuild()).rejects.toMatchObject({ code: 'conflict' })
  after.start()
  // It waits until no leader distributes the states in the old way.
  await upsertParcels(sql, 'elm_or', [{ sourceParcelId: 'OR9', ownerName: 'BEFORE THE MOVE' }])
  await waitFor(async () => (await askIfAvailable(search, 'before the move', { state: 'OR' }))?.hits.length === 1)
  expect(after.status().instances.map(({ leading }) => leading)).toEqual([false, false, false])
  await sync.stop()
  const drained = after.drain()
  let isDrained = false
  drained.then(() => {
    isDrained = true
  })
  while (!isDrained) {
    await expectAll()
    await Bun.sleep(20)
  }
  const count = async (place: number, state: string) =>
    (
      await connectMeilisearch(moved[place] as Instance)
        .index(`${indexPrefix}parcels`)
        .search('', { filter: `state = "${state}"` })
    ).estimatedTotalHits
  await waitFor(async () => (await count(0, 'WA')) === 0)
  expect(await count(1, 'WA')).toBe(60)
  const fresh = createSearch({ sql, meili: moved, indexPrefix, limits: PATIENT })
  expect(await ask(fresh, 'oak st', { state: 'WA', types: ['parcels'], counts: true })).toMatchObject({
    ...{ total: 15, degraded: false },
  })
  await after.stop()
})

test('PostgreSQL answers for an instance that does not say which states its index has', async () => {
  const silent = { states: true }
  const proxy = startMeilisearchProxy(() => addresses[1]?.url ?? null, {
    hold: async ({ url }) => {
      if (url.includes('/documents/build')) await waitFor(() => !silent.states)
    },
  })
  const unhealthy: string[] = []
  const meili = [{ ...(instances[1] as Instance), url: proxy.url, states: only('ME') }, withStates(2, allBut('ME'))]
  const starting = createSearch({
    ...{ sql, meili, indexPrefix, limits: PATIENT },
    onHealthChange: (_, healthy, reason) => unhealthy.push(`${healthy} ${reason}`),
  })
  const answer = await ask(starting, 'oak st', { types: ['parcels'], state: 'ME' })
  expect(answer.degraded).toBe(true)
  expect(answer.hits.length).toBeGreaterThan(5)
  expect(unhealthy).toEqual(['false Meilisearch does not say which states its index has'])
  silent.states = false
  await waitFor(async () => !(await ask(starting, 'oak st', { types: ['parcels'], state: 'ME' })).degraded)
  proxy.stop()
})

test('when PostgreSQL is down too, the hits of the other instances are returned', async () => {
  const gone = connectDatabase('postgres://nobody@127.0.0.1:1/none')
  const awayFor = (place: number) => ({ ...(instances[place] as Instance), url: 'http://127.0.0.1:1' })
  const partly = createSearch({
    sql,
    heavyReads: readPrimary(gone),
    meili: [instances[0] as Instance, awayFor(1), awayFor(2)],
    indexPrefix,
  })
  for (let n = 0; n < 2; n++) {
    const { hits, degraded, isTotalExact } = await ask(partly, 'hollow ann', { types: ['parcels'] })
    expect([hits.length > 5, degraded, isTotalExact]).toEqual([true, true, false])
  }
  const wholly = createSearch({
    sql,
    heavyReads: readPrimary(gone),
    meili: [awayFor(0), awayFor(1), awayFor(2)],
    indexPrefix,
  })
  for (let n = 0; n < 2; n++) {
    await expect(ask(wholly, 'hollow ann')).rejects.toMatchObject({ code: 'search_unavailable' })
  }
  await gone.end({ timeout: 1 })
})

test('after a return to one instance, it gets the changes that waited for the others, and work requested for those ends', async () => {
  await upsertParcels(sql, 'elm_or', [{ sourceParcelId: 'OR5', ownerName: 'LEFT IN A QUEUE' }])
  await requestSearchWork(sql, 'rebuild', 'ada', ['gone:7700'])
  expect(await routeChanges(sql, [{ name: 'gone:7700', states: ALL_STATES }], 100)).toBe(1)
  const alone = createSearchSync({ databaseUrl: url, meili: testMeilisearch(), indexPrefix })
  alone.start()
  await waitFor(() => alone.status().leading)
  await alone.drain()
  await alone.stop()
  expect((await ask(single, 'left in a queue')).hits.map(nameOf)).toEqual(['OR5'])
  expect(await sql`select error_message from work where subject = 'search gone:7700'`).toMatchObject([
    { error_message: 'its instance of Meilisearch is not configured any more' },
  ])
})
