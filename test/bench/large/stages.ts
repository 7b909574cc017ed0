import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Sql } from '../../../core/postgres/database'
import { encodeFeature } from '../../../dev/sample-county/encode-feature'
import { readWatermark } from '../../../drizzle/queries/changes/read-watermark'
import { findPublishedTiles } from '../../../drizzle/queries/tiles/published-tiles'
import type { ParcelInput } from '../../../drizzle/records'
import { createProgress } from '../../../src/cli/terminal/progress'
import { ingestParcels } from '../../../src/ingest/ingest'
import { processorMs, processorMsOfFamily } from '../processor-time'
import { askService } from '../search/rivals'
import { type BenchServers, type BenchService, startService, waitForVocabulary } from '../search/servers'
import { drawMix, fire, sampleRoll } from '../search/speed'
import { median, percentile } from '../search/statistics'

/** Each county has its own source, because no county has ten million parcels (Los Angeles has about 2.4 million). */
export const COUNTY_PARCELS = 1_000_000
const READS = 300
const SEARCH_CLIENTS = 8
const CHANGE_PAGES = 100
/** In degrees. */
const HALF_BOX = 0.01

/** What a stage takes. Processor times are of all processes of the service and its servers. */
export interface Cost {
  seconds: number
  processorSeconds: number
}

/** Processor time of both servers so far, in ms. */
const readMs = ({ pids }: BenchServers): number => processorMsOfFamily(pids.postgres) + processorMs(pids.meilisearch)

/** Runs one stage and adds up the processor time of this process, PostgreSQL and Meilisearch, and what `run` returns: that of its own processes. */
const spend = async (servers: BenchServers, run: () => Promise<number>): Promise<Cost> => {
  const read = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000 + readMs(servers)
  }
  const [before, startedAt] = [read(), performance.now()]
  const ofOthers = await run()
  return { seconds: (performance.now() - startedAt) / 1_000, processorSeconds: (read() - before) / 1_000 + ofOthers }
}

/** Runs a command of the service. Returns its processor time in s. */
const runCommand = async (command: string[], env: Record<string, string>): Promise<number> => {
  const child = Bun.spawn(['bun', ...command], {
    cwd: resolve(import.meta.dir, '../../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  const code = await child.exited
  if (code !== 0) throw new Error(`${command.join(' ')} ended with code ${code}`)
  return Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1e6
}

/** Loads the next `parcels` of the county into a source of their own, as `bun run ingest` does. Writing the file is not counted. */
export const loadCounty = async (
  servers: BenchServers,
  source: string,
  parcels: Iterator<ParcelInput>,
  { count, dir }: { count: number; dir: string },
): Promise<Cost> => {
  await servers.sql`insert into sources (source, state, county_name, vendor, base_url)
    values (${source}, 'OR', ${source}, 'arcgis-rest', ${`https://${source}.example`})`
  const file = join(dir, `${source}.geojsonl`)
  const writer = Bun.file(file).writer({ highWaterMark: 1 << 20 })
  for (let left = count; left > 0; left--) {
    const { done, value } = parcels.next()
    if (done) throw new Error(`the sample county has no ${count} parcels left`)
    writer.write(`${encodeFeature(value)}\n`)
    // Otherwise the whole file would be held in memory.
    if (left % 1_000 === 0) await writer.flush()
  }
  await writer.end()
  using progress = createProgress(source, count)
  const cost = await spend(servers, async () => {
    const { load } = await ingestParcels(servers.sql, source, { file, map: [], rejectsFile: null })
    if (load?.status !== 'applied') throw new Error(`the load is ${load?.status}`)
    return 0
  })
  progress.finish(`${source}: ${Math.round(count / cost.seconds)} rows/s, ${perParcel(cost, count)} of processor time`)
  rmSync(file)
  return cost
}

export const perParcel = ({ processorSeconds }: Cost, parcels: number): string =>
  `${((processorSeconds * 1e6) / parcels).toFixed(1)} µs`

/** Bytes that a folder takes on the disk. */
const readBytes = (folder: string): number => Number(execFileSync('du', ['-sB1', folder]).toString().split('\t')[0])

/** Builds the search indexes of an empty Meilisearch. */
export const buildIndex = async (servers: BenchServers, folder: string): Promise<Cost & { bytes: number }> => {
  const cost = await spend(servers, () =>
    runCommand(['src/cli/reindex.ts'], {
      DATABASE_URL: servers.databaseUrl,
      MEILI_URL: servers.meili.url,
      MEILI_MASTER_KEY: servers.meili.masterKey ?? '',
    }),
  )
  return { ...cost, bytes: readBytes(folder) }
}

/** Builds the tiles of all parcels and deletes them. */
export const buildTiles = async (servers: BenchServers, dir: string): Promise<Cost & { bytes: number }> => {
  const dataDir = join(dir, 'tiles')
  const cost = await spend(servers, () =>
    runCommand(['src/cli/tiles-build.ts'], {
      DATABASE_URL: servers.databaseUrl,
      MEILI_URL: 'http://127.0.0.1:1',
      DATA_DIR: dataDir,
      TILES_URL: '',
    }),
  )
  const bytes = (await findPublishedTiles(servers.sql, 'parcels'))?.size_bytes ?? 0
  await servers.sql`delete from tile_builds`
  rmSync(dataDir, { recursive: true })
  return { ...cost, bytes }
}

/** One kind of request: times in ms, and the processor time of the service and its servers per request. */
export interface Reads {
  p50Ms: number
  p95Ms: number
  processorMs: number
}

const ROUNDS = 5
const SETTLE_LOOK_MS = 2_000
/** The share of a processor that idle servers may use. */
const SETTLED_SHARE = 0.05
const SETTLE_MS = 600_000

/** Waits until the servers have finished the background work of loads and indexing, such as vacuuming. */
const settle = async (servers: BenchServers): Promise<void> => {
  const startedAt = performance.now()
  for (let spentMs = Number.POSITIVE_INFINITY; spentMs > SETTLED_SHARE * SETTLE_LOOK_MS; ) {
    if (performance.now() - startedAt > SETTLE_MS) throw new Error(`the servers are busy after ${SETTLE_MS} ms`)
    const before = readMs(servers)
    await Bun.sleep(SETTLE_LOOK_MS)
    spentMs = readMs(servers) - before
  }
}

/** Runs `count` requests several times. The first round is not measured. */
const measureReads = async (
  servers: BenchServers,
  service: BenchService,
  count: number,
  run: () => Promise<{ p50: number; p95: number }>,
): Promise<Reads> => {
  await run()
  const read = () => processorMs(service.pid) + readMs(servers)
  const before = read()
  const rounds: { p50: number; p95: number }[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await run())
  return {
    p50Ms: median(rounds.map(({ p50 }) => p50)),
    p95Ms: median(rounds.map(({ p95 }) => p95)),
    processorMs: (read() - before) / (count * ROUNDS),
  }
}

/** Requests of the API, one after another. */
const getAll = async ({ url, key }: BenchService, paths: readonly string[]) => {
  const times: number[] = []
  for (const path of paths) {
    const startedAt = performance.now()
    const response = await fetch(`${url}${path}`, { headers: { 'X-Service-Key': key } })
    const body = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`)
    times.push(performance.now() - startedAt)
  }
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) }
}

/** Paths of each kind of request, about parcels from all over the table. */
const drawPaths = async (sql: Sql, parcels: number): Promise<Record<string, string[]>> => {
  const rows = await sql<{ path: string; x: number; y: number }[]>`
    select '/v1/parcels/' || source || '/' || source_parcel_id as path, (center(bbox))[0] as x, (center(bbox))[1] as y
    from parcels tablesample bernoulli (${(100 * 4 * READS) / parcels}) repeatable (7)
    where bbox is not null order by hashtext(id::text) limit ${READS}`
  const watermark = await readWatermark(sql)
  const boxAround = ({ x, y }: { x: number; y: number }) =>
    [x - HALF_BOX, y - HALF_BOX, x + HALF_BOX, y + HALF_BOX].map((degrees) => degrees.toFixed(6)).join()
  return {
    'one parcel': rows.map(({ path }) => path),
    'box of some hundred parcels': rows.map((row) => `/v1/parcels?bbox=${boxAround(row)}`),
    'history of a parcel': rows.map(({ path }) => `${path}/history`),
    'page of 1,000 changes': rows
      .slice(0, CHANGE_PAGES)
      .map((_, page) => `/v1/changes?limit=1000&after=${Math.floor((watermark * page) / CHANGE_PAGES)}`),
  }
}

/** Measures requests of the API, and searches where there is an index. */
export const measureRequests = async (
  servers: BenchServers,
  { parcels, seed, hasIndex }: { parcels: number; seed: number; hasIndex: boolean },
): Promise<Map<string, Reads>> => {
  const service = await startService(servers)
  try {
    await settle(servers)
    const reads = new Map<string, Reads>()
    for (const [kind, paths] of Object.entries(await drawPaths(servers.sql, parcels))) {
      reads.set(kind, await measureReads(servers, service, paths.length, () => getAll(service, paths)))
    }
    if (!hasIndex) return reads
    const roll = await sampleRoll(servers.sql)
    const queries = drawMix(roll, seed)
    const ask = askService(service, () => 'parcels,entities')
    await waitForVocabulary(service, roll)
    const search = () => fire(ask, queries, SEARCH_CLIENTS)
    // Bun compiles the search code during the first few thousand searches.
    for (let round = 0; round < 3; round++) await search()
    reads.set(`search, ${SEARCH_CLIENTS} clients`, await measureReads(servers, service, queries.length, search))
    return reads
  } finally {
    await service.stop()
  }
}
