import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { createProgress } from '../../../src/cli/terminal/progress'
import { issueKey } from '../../../src/people/issue-key'
import { atMost, report } from '../report'
import { type BenchServers, startServers, startService, syncIndex } from './servers'
import { percentile } from './statistics'

/*
 * bun run bench fairness [--parcels 200000] [--seconds 8] [--data .data/bench-fairness]
 *
 * Measures how one customer's load affects another. 16 clients with one key request a box of the whole world with limit=5000. Another
 * key looks up parcels and searches; its times are compared with those without the load. Then 200 clients search at the same time, with
 * and without group=owner: Meilisearch must answer every search, with 200. Exits with code 1 when a goal is missed.
 * Client, service, PostgreSQL and Meilisearch share the machine.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '8' },
    data: { type: 'string', default: '.data/bench-fairness' },
  },
})
const parcels = Number(options.parcels)
const seconds = Number(options.seconds)
const HEAVY_CLIENTS = 16
const SEARCHING_CLIENTS = 200
const SEARCHES_A_CLIENT = 5
/** Under load, the other customer's median may grow by this factor. */
const MAX_RATIO = 2
const WORLD = '/v1/parcels?bbox=-180,-90,180,90&limit=5000'

let isMissed = false
const judge = (title: string, value: number, goal: number, unit = ''): void => {
  const target = atMost(value, goal)
  isMissed ||= !target.met
  console.log(`${title}: ${value.toFixed(2)}${unit}, ${target.text}: ${target.met ? 'met' : 'MISSED'}`)
  report({ bench: 'fairness', title, measured: `${value.toFixed(2)}${unit}`, goal: target })
}

interface Answers {
  times: number[]
  statuses: Map<number, number>
  degraded: number
}
const newAnswers = (): Answers => ({ times: [], statuses: new Map(), degraded: 0 })

const ask = async (url: string, key: string, into: Answers): Promise<void> => {
  const startedAt = performance.now()
  const response = await fetch(url, { headers: { 'x-service-key': key } })
  await response.arrayBuffer()
  into.times.push(performance.now() - startedAt)
  into.statuses.set(response.status, (into.statuses.get(response.status) ?? 0) + 1)
  if (response.headers.has('warning')) into.degraded++
}

const describe = (name: string, { times, statuses, degraded }: Answers): void => {
  const [p50, p95, p100] = [0.5, 0.95, 1].map((share) => percentile(times, share).toFixed(1))
  const codes = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
  console.log(`| ${name} | ${p50} | ${p95} | ${p100} | ${codes} | ${degraded} |`)
}

/** The other customer: repeats one lookup, one search and one health check at a time. */
const beAnotherCustomer = async (url: string, key: string, paths: string[], queries: string[]) => {
  const lookUps = newAnswers()
  const searches = newAnswers()
  const health = newAnswers()
  const end = performance.now() + seconds * 1_000
  const repeat = async (run: (n: number) => Promise<void>) => {
    for (let n = 0; performance.now() < end; n++) {
      await run(n)
      await Bun.sleep(10)
    }
  }
  await Promise.all([
    repeat((n) => ask(`${url}${paths[n % paths.length]}`, key, lookUps)),
    repeat((n) =>
      ask(`${url}/v1/search?${new URLSearchParams({ q: queries[n % queries.length] ?? '' })}`, key, searches),
    ),
    repeat(() => ask(`${url}/health`, key, health)),
  ])
  return { lookUps, searches, health }
}

const prepare = async (servers: BenchServers): Promise<void> => {
  const [row] = await servers.sql<{ n: number }[]>`select count(*)::int as n from parcels`
  if (row?.n !== parcels) {
    using progress = createProgress('sample parcels', parcels)
    await seedSampleCounty(servers.sql, { parcels, entities: Math.round(parcels / 16), onProgress: progress.update })
    progress.finish(`${parcels} sample parcels`)
    await servers.sql`vacuum analyze`
  }
  await syncIndex(servers)
}

const data = resolve(options.data)
const servers = await startServers(join(data, 'postgres'), join(data, 'meilisearch'))
try {
  await prepare(servers)
  const { sql } = servers
  const [heavyKey, otherKey] = await Promise.all(
    ['heavy', 'other'].map(async (name) => (await issueKey(sql, { name, capabilities: [] })).key),
  )
  if (heavyKey === undefined || otherKey === undefined) throw new Error('no keys')
  const rows = await sql<{ source: string; id: string; owner: string; address: string }[]>`
    select source, source_parcel_id as id, owner_name as owner, situs_address as address
    from parcels tablesample bernoulli (1) repeatable (7)
    where owner_name is not null and situs_address is not null order by id limit 1000`
  const paths = rows.map(({ source, id }) => `/v1/parcels/${source}/${encodeURIComponent(id)}`)
  const queries = rows.map(({ owner, address }, n) => (n % 2 === 0 ? owner : address).toLowerCase().slice(0, 14))
  const service = await startService(servers)
  const { url } = service
  try {
    await Promise.all(queries.slice(0, 100).map((q) => service.search({ q })))
    console.log('| case | p50 ms | p95 ms | longest ms | answers | degraded |\n|---|---|---|---|---|---|')
    const quiet = await beAnotherCustomer(url, otherKey, paths, queries)
    for (const [name, answers] of Object.entries(quiet)) describe(`${name}, quiet`, answers)

    const heavy = Bun.spawn(
      ['bun', join(import.meta.dir, '../load/fairness-load.ts'), `${url}${WORLD}`, heavyKey, String(HEAVY_CLIENTS)],
      { stdout: 'pipe', stderr: 'inherit' },
    )
    await heavy.stdout.getReader().read()
    const { result: loaded, longest } = await service.measureHold(() =>
      beAnotherCustomer(url, otherKey, paths, queries),
    )
    heavy.kill()
    await heavy.exited
    for (const [name, answers] of Object.entries(loaded)) describe(`${name}, during the box requests`, answers)
    console.log(`longest block of the event loop: ${longest.toFixed(1)} ms`)

    const storms: [string, Answers][] = []
    for (const group of [null, 'owner']) {
      const storm = newAnswers()
      await Promise.all(
        Array.from({ length: SEARCHING_CLIENTS }, async (_, client) => {
          for (let n = 0; n < SEARCHES_A_CLIENT; n++) {
            const q = queries[(client * 7 + n * 131) % queries.length] ?? ''
            const parameters = new URLSearchParams({ q, ...(group === null ? {} : { group }) })
            await ask(`${url}/v1/search?${parameters}`, otherKey, storm)
          }
        }),
      )
      const name = `${SEARCHING_CLIENTS} clients search${group === null ? '' : ', group=owner'}`
      describe(name, storm)
      storms.push([name, storm])
    }

    for (const name of ['lookUps', 'searches', 'health'] as const) {
      const p50 = (of: typeof quiet) => percentile(of[name].times, 0.5)
      judge(`${name}, p50 during the box requests against quiet`, p50(loaded) / p50(quiet), MAX_RATIO)
    }
    const refused = ({ statuses }: Answers) =>
      [...statuses].reduce((sum, [status, n]) => sum + (status === 200 ? 0 : n), 0)
    judge('searches during the box requests without a 200', refused(loaded.searches), 0)
    for (const [name, storm] of storms) {
      judge(`${name}: without a 200`, refused(storm), 0)
      judge(`${name}: without Meilisearch`, storm.degraded, 0)
    }
  } finally {
    await service.stop()
  }
} finally {
  await servers.stop()
}
process.exit(isMissed ? 1 : 0)
