import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { createProgress } from '../../../src/cli/terminal/progress'
import { drawCases } from '../relevance/cases'
import { KINDS } from '../relevance/kinds'
import { type Roll, readRoll } from '../relevance/roll'
import { report } from '../report'
import { type Ask, askRaw, askService, askTrigrams, type SpeedQuery } from './rivals'
import {
  type BenchServers,
  countDocuments,
  loadRawIndexes,
  RAW_INDEXES,
  startService,
  syncIndex,
  waitForVocabulary,
} from './servers'
import { median, percentile } from './statistics'

const CLIENTS = 8
/** Enough that most of them wait for their turn. None may be refused. */
const MANY_CLIENTS = 200
const HITS = 20
const ROUNDS = 3
const WARM_UP_SEARCHES = 10_000
const QUERIES_PER_KIND = 60
const PREFIXES = 120
/** pg_trgm takes seconds per query, so it gets only every nth one. */
const TRIGRAM_EVERY = 24

const GOALS = { p50: 1.6, p95: 1.8, overTrigrams: 20, holdMs: 5 }

export interface CountyOptions {
  parcels: number
  seed: number
}

/** Loads the sample county into the database and our index. Keeps what is already loaded. */
export const prepareSearch = async (servers: BenchServers, parcels: number): Promise<void> => {
  const { sql } = servers
  const entities = Math.round(parcels / 10)
  const [counts] = await sql<{ parcels: number; entities: number }[]>`
    select (select count(*) from parcels)::int as parcels, (select count(*) from entities)::int as entities`
  if (counts?.parcels !== parcels || counts.entities !== entities) {
    using progress = createProgress('sample parcels', parcels)
    await seedSampleCounty(sql, { parcels, entities, onProgress: progress.update })
    progress.finish(`${parcels} parcels, ${entities} entities`)
    await sql`vacuum analyze`
  }
  await syncIndex(servers)
}

/** Does what `prepareSearch` does, and loads the raw index too. */
export const prepareCounty = async (servers: BenchServers, parcels: number): Promise<void> => {
  const { meili } = servers
  const entities = Math.round(parcels / 10)
  await prepareSearch(servers, parcels)
  const [rawParcels, rawEntities] = await Promise.all([
    countDocuments(meili, RAW_INDEXES.parcels),
    countDocuments(meili, RAW_INDEXES.entities),
  ])
  if (rawParcels < parcels || rawEntities < entities) await loadRawIndexes(servers)
}

/** A sample of the county, to make queries from. */
export const sampleRoll = async (sql: Sql): Promise<Roll> =>
  readRoll({
    parcels: await sql`
      select source_parcel_id as "sourceParcelId", owner_name as "ownerName", situs_address as "situsAddress",
        situs_city as "situsCity", situs_state as "situsState", array[(center(bbox))[0], (center(bbox))[1]] as bbox
      from parcels tablesample bernoulli (1) repeatable (7) order by id limit 10000`,
    companies: await sql`
      select registry_number as "registryNumber", name from entities tablesample bernoulli (2) repeatable (7) order by id limit 2000`,
  })

/** The kinds of queries in the mix. */
const MIXED = new Set([
  ...['owner', 'owner + city', 'owner + state', 'owner, 1 typo', 'owner, 2 typos', 'owner, first letter wrong'],
  ...['owner, words reversed', 'owner, a space missing or added', 'owner, last word cut at 70%', 'surname at a place'],
  ...['4 letters of the owner + house number', 'company without its legal form', 'entity, 1 typo', 'parcel id'],
  ...['address', 'first 60% of an address', 'address, 1 typo', 'address, direction spelled otherwise'],
  ...[
    'address, house number with 2 digits swapped',
    'address, suffix spelled otherwise',
    'address, unit written otherwise',
  ],
])

/** Options of the service, by the kind of query that they are added to. */
const MIXED_OPTIONS: readonly (readonly [title: string, options: Record<string, string>])[] = [
  ['owner', { group: 'owner' }],
  ['first 60% of an address', { min_value: '200000', max_acres: '5' }],
]

/** A mix of kinds of queries, of some with options, and of prefixes of 2 and 3 letters. */
export const drawMix = (roll: Roll, seed: number): SpeedQuery[] => {
  const kinds = KINDS.filter(({ title }) => MIXED.has(title))
  const items: SpeedQuery[] = [...drawCases(roll, { count: QUERIES_PER_KIND, seeds: [seed], kinds }).values()].flat()
  for (const [title, options] of MIXED_OPTIONS) {
    const cases = drawCases(roll, {
      count: QUERIES_PER_KIND,
      seeds: [seed + 1],
      kinds: kinds.filter((kind) => kind.title === title),
    })
    items.push(...[...cases.values()].flat().map((one) => ({ ...one, options })))
  }
  for (let index = 0; index < PREFIXES; index++) {
    const entry = roll.parcels[(index * 7_919) % roll.parcels.length]
    const text = (index % 2 === 0 ? entry?.name : entry?.address) ?? ''
    if (text.length >= 3) items.push({ q: text.slice(0, 2 + (index % 4 > 1 ? 1 : 0)) })
  }
  // A fixed order in which neighboring queries are unrelated.
  return items.toSorted((a, b) => Number(Bun.hash(a.q) & 0xffffffn) - Number(Bun.hash(b.q) & 0xffffffn))
}

/** Latency in ms. */
export interface Latency {
  p50: number
  p95: number
  p99: number
  perSecond: number
}

/** Sends the queries, shared among several clients. A client has one query in progress at a time. */
export const fire = async (ask: Ask, items: readonly SpeedQuery[], clients = CLIENTS): Promise<Latency> => {
  const times: number[] = []
  const waiting = items.values()
  const startedAt = performance.now()
  const client = async () => {
    for (const item of waiting) {
      const askedAt = performance.now()
      await ask(item, HITS)
      times.push(performance.now() - askedAt)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const perSecond = (1_000 * items.length) / (performance.now() - startedAt)
  return { p50: median(times), p95: percentile(times, 0.95), p99: percentile(times, 0.99), perSecond }
}

/** Measures latency with 8 clients, in turns with the rivals. Prints a table and returns the missed goals. */
export const measureSpeed = async (servers: BenchServers, { parcels, seed }: CountyOptions): Promise<string[]> => {
  await prepareCounty(servers, parcels)
  const roll = await sampleRoll(servers.sql)
  const items = drawMix(roll, seed)
  const service = await startService(servers)
  const trigramSql = connectDatabase(servers.databaseUrl, { max: CLIENTS })
  try {
    await waitForVocabulary(service, roll)
    const raw = askRaw(servers.meili)
    const ours = askService(service, () => 'parcels,entities')
    // Bun compiles the service's code while it runs, until about 10,000 searches. Meilisearch is compiled when it starts.
    for (let searches = 0; searches < WARM_UP_SEARCHES; searches += items.length) await fire(ours, items)
    await fire(raw, items)
    const rounds: { raw: Latency; ours: Latency }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ raw: await fire(raw, items), ours: await fire(ours, items) })
    }
    const { longest: held } = await service.measureHold(async () => {
      for (let round = 0; round < ROUNDS; round++) await fire(ours, items)
    })
    const trigrams = await fire(
      askTrigrams(trigramSql),
      items.filter((_, index) => index % TRIGRAM_EVERY === 0),
    )
    let refused = 0
    const askOrBeRefused: Ask = async (...query) => {
      try {
        return await ours(...query)
      } catch {
        refused++
        return []
      }
    }
    const crowd = await fire(askOrBeRefused, items, MANY_CLIENTS)
    const middle = (of: 'raw' | 'ours'): Latency => {
      const column = (name: keyof Latency) => median(rounds.map((round) => round[of][name]))
      return { p50: column('p50'), p95: column('p95'), p99: column('p99'), perSecond: column('perSecond') }
    }
    const ratio = (name: 'p50' | 'p95') => median(rounds.map((round) => round.ours[name] / round.raw[name]))

    console.log(
      `\nSpeed: ${parcels} parcels, ${items.length} queries, ${CLIENTS} clients, median of ${ROUNDS} rounds, ms\n`,
    )
    console.log('| | p50 | p95 | p99 | searches/s |\n|---|---|---|---|---|')
    const rows = {
      'raw Meilisearch': middle('raw'),
      pg_trgm: trigrams,
      'ours, over HTTP': middle('ours'),
      [`ours, ${MANY_CLIENTS} clients`]: crowd,
    }
    for (const [name, { p50, p95, p99, perSecond }] of Object.entries(rows)) {
      console.log(`| ${[name, p50.toFixed(1), p95.toFixed(1), p99.toFixed(1), perSecond.toFixed(0)].join(' | ')} |`)
    }
    for (const name of ['p50', 'p95'] as const) {
      report({
        bench: 'search',
        title: `searches over HTTP, ${parcels} parcels, ${CLIENTS} clients, ${name}`,
        measured: `${middle('ours')[name].toFixed(1)} ms`,
        rival: `raw Meilisearch ${middle('raw')[name].toFixed(1)} ms, pg_trgm ${trigrams[name].toFixed(1)} ms`,
      })
    }
    report({
      bench: 'search',
      title: `searches over HTTP, ${parcels} parcels, ${MANY_CLIENTS} clients, p99`,
      measured: `${crowd.p99.toFixed(0)} ms`,
    })
    return check([
      ['p50 against raw Meilisearch', ratio('p50'), '≤', GOALS.p50],
      ['p95 against raw Meilisearch', ratio('p95'), '≤', GOALS.p95],
      ['pg_trgm against ours, p50', trigrams.p50 / middle('ours').p50, '≥', GOALS.overTrigrams],
      ['longest block of the event loop, ms of CPU time', held, '≤', GOALS.holdMs],
      [`refused with ${MANY_CLIENTS} clients`, refused, '≤', 0],
    ])
  } finally {
    await Promise.all([service.stop(), trigramSql.end({ timeout: 1 })])
  }
}

type Check = [title: string, value: number, sign: '≤' | '≥', goal: number]

/** Prints figures beside their goals. Returns the missed ones. */
export const check = (checks: readonly Check[]): string[] => {
  console.log('\n| goal | measured | |\n|---|---|---|')
  return checks.flatMap(([title, value, sign, goal]) => {
    const isMet = sign === '≤' ? value <= goal : value >= goal
    console.log(`| ${title} ${sign} ${goal} | ${value.toFixed(2)} | ${isMet ? 'met' : 'MISSED'} |`)
    report({ bench: 'search', title, measured: value.toFixed(2), goal: { text: `${sign} ${goal}`, met: isMet } })
    return isMet ? [] : [`${title}: ${value.toFixed(2)}, goal ${sign} ${goal}`]
  })
}
