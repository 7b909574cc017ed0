import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sampleParcels } from '../../../dev/sample-county/county'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { type Figure, report } from '../report'
import { type BenchServers, startServers } from '../search/servers'
import {
  buildIndex,
  buildTiles,
  COUNTY_PARCELS,
  type Cost,
  loadCounty,
  measureRequests,
  perParcel,
  type Reads,
} from './stages'

/*
 * bun run bench large [--parcels 1000000,10000000] [--county 1000000] [--data .data/bench-large] [--seed 1]
 *
 * Loads one county after another into one database, and at each size builds the search index and the tiles and sends requests. It compares
 * what a parcel or a request takes at each size with the first size: bytes on the disk, and processor time of the service, PostgreSQL and
 * Meilisearch, which other work on the machine changes less than it changes times. It prints what 150,000,000 parcels, about all of the
 * United States, would take at the rate of the last size. An index is left out if the disk has no room for it: 1,000,000 parcels take 1.6 GB
 * in the database and 5.7 GB in the index. Deletes --data before and after. Exits with code 1 when a goal is missed.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '1000000,10000000' },
    county: { type: 'string', default: String(COUNTY_PARCELS) },
    data: { type: 'string', default: '.data/bench-large' },
    seed: { type: 'string', default: '1' },
  },
})
const sizes = options.parcels.split(',').map(Number)
const county = Number(options.county)
const dir = resolve(options.data)
/** What a parcel or request may take at a larger size, as a share of what it takes at the first. */
const MAX_GROWTH = 1.15
const NATION = 150_000_000
/** The number of parcels for each company that owns some. Searches look for companies too. */
const PARCELS_PER_COMPANY = 10
/** Sorting and merging need room of their own. */
const INDEX_ROOM = 1.5

interface Figures {
  load: Cost
  index: (Cost & { bytes: number }) | null
  tiles: Cost & { bytes: number }
  databaseBytes: number
  requests: Map<string, Reads>
}

const readDatabaseBytes = async ({ sql }: BenchServers): Promise<number> => {
  const [row] = await sql<{ bytes: number }[]>`select pg_database_size(current_database())::float8 as bytes`
  return row?.bytes ?? 0
}

/** Whether the disk has room for an index that takes as much for each parcel as the last one. */
const hasRoom = (parcels: number, last: { parcels: number; bytes: number } | null): boolean => {
  const { bavail, bsize } = statfsSync(dir)
  const needed = last === null ? 0 : (last.bytes / last.parcels) * parcels * INDEX_ROOM
  if (needed > bavail * bsize)
    console.log(`no index of ${parcels}: it needs about ${gb(needed)}, ${gb(bavail * bsize)} are free`)
  return needed <= bavail * bsize
}

const gb = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

const measured: { parcels: number; figures: Figures }[] = []
const parcels = sampleParcels({ parcels: sizes.at(-1) ?? 0 })
rmSync(dir, { recursive: true, force: true })
mkdirSync(dir, { recursive: true })
let loaded = 0
for (const size of sizes) {
  // A new Meilisearch, because the old index would need room, too.
  const searchDir = join(dir, `meilisearch-${size}`)
  const servers = await startServers(join(dir, 'postgres'), searchDir)
  try {
    let load: Cost = { seconds: 0, processorSeconds: 0 }
    while (loaded < size) {
      const count = Math.min(county, size - loaded)
      load = await loadCounty(servers, `county-${loaded / county + 1}`, parcels, { count, dir })
      loaded += count
    }
    await seedSampleCounty(servers.sql, { parcels: 0, entities: size / PARCELS_PER_COMPANY })
    await servers.sql`vacuum analyze`
    console.log(`${size}: tiles`)
    const tiles = await buildTiles(servers, dir)
    console.log(`${perParcel(tiles, size)} of processor time per parcel, ${gb(tiles.bytes)}`)
    const last = measured.findLast(({ figures }) => figures.index !== null)
    const isIndexed = hasRoom(
      size,
      last === undefined ? null : { parcels: last.parcels, bytes: last.figures.index?.bytes ?? 0 },
    )
    if (isIndexed) console.log(`${size}: search index`)
    const index = isIndexed ? await buildIndex(servers, searchDir) : null
    if (index !== null) console.log(`${perParcel(index, size)} of processor time per parcel, ${gb(index.bytes)}`)
    console.log(`${size}: requests`)
    const requests = await measureRequests(servers, { parcels: size, seed: Number(options.seed), hasIndex: isIndexed })
    measured.push({
      parcels: size,
      figures: { load, index, tiles, databaseBytes: await readDatabaseBytes(servers), requests },
    })
    printTable()
  } finally {
    await servers.stop()
    rmSync(searchDir, { recursive: true, force: true })
  }
}
rmSync(dir, { recursive: true })

interface Row {
  title: string
  unit: string
  /** For each size, null where it was not measured. */
  values: (number | null)[]
  /** The text for `values` multiplied by a number of parcels. Null: the values are not per parcel. */
  nation: ((perParcel: number) => string) | null
  isJudged: boolean
}

function listRows(): Row[] {
  const each = (of: (figures: Figures, parcels: number) => number | null): (number | null)[] =>
    measured.map(({ figures, parcels }) => of(figures, parcels))
  const hours = (us: number) => `${((us * NATION) / 3.6e9).toFixed(1)} h`
  const disk = (bytes: number) => `${((bytes * NATION) / 1e12).toFixed(2)} TB`
  const row = (title: string, unit: string, values: Row['values'], nation: Row['nation'], isJudged = true): Row => ({
    ...{ title, unit, values, nation, isJudged },
  })
  const kinds = [...new Set(measured.flatMap(({ figures }) => [...figures.requests.keys()]))]
  return [
    row(
      'load of the last county, processor time',
      'µs/parcel',
      each(({ load }) => perRow(load.processorSeconds)),
      hours,
    ),
    row(
      'load of the last county, time',
      'µs/parcel',
      each(({ load }) => perRow(load.seconds)),
      hours,
      false,
    ),
    row(
      'index, processor time',
      'µs/parcel',
      each(({ index }, n) => share(index?.processorSeconds, n)),
      hours,
    ),
    row(
      'index, time',
      'µs/parcel',
      each(({ index }, n) => share(index?.seconds, n)),
      hours,
      false,
    ),
    row(
      'tiles, processor time',
      'µs/parcel',
      each(({ tiles }, n) => share(tiles.processorSeconds, n)),
      hours,
    ),
    row(
      'tiles, time',
      'µs/parcel',
      each(({ tiles }, n) => share(tiles.seconds, n)),
      hours,
      false,
    ),
    row(
      'disk: database',
      'bytes/parcel',
      each(({ databaseBytes }, n) => databaseBytes / n),
      disk,
    ),
    row(
      'disk: index',
      'bytes/parcel',
      each(({ index }, n) => (index === null ? null : index.bytes / n)),
      disk,
    ),
    row(
      'disk: tiles',
      'bytes/parcel',
      each(({ tiles }, n) => tiles.bytes / n),
      disk,
    ),
    ...kinds.flatMap((kind) => [
      row(
        `${kind}, processor time`,
        'ms',
        each(({ requests }) => requests.get(kind)?.processorMs ?? null),
        null,
      ),
      row(
        `${kind}, p50`,
        'ms',
        each(({ requests }) => requests.get(kind)?.p50Ms ?? null),
        null,
        false,
      ),
      row(
        `${kind}, p95`,
        'ms',
        each(({ requests }) => requests.get(kind)?.p95Ms ?? null),
        null,
        false,
      ),
    ]),
  ]

  function perRow(seconds: number): number {
    return (seconds * 1e6) / county
  }
  function share(seconds: number | undefined, n: number): number | null {
    return seconds === undefined ? null : (seconds * 1e6) / n
  }
}

/** Prints what was measured so far, because the next size may take an hour. */
function printTable(): void {
  const sizeNames = measured.map((one) => one.parcels.toLocaleString('en-US'))
  console.log(`\n| | unit | ${sizeNames.join(' | ')} | growth | ${NATION.toLocaleString('en-US')} |`)
  console.log(`|---|---|${'---|'.repeat(measured.length + 2)}`)
  for (const { title, unit, values, nation, isJudged } of listRows()) {
    const present = values.filter((value) => value !== null)
    const [first, last] = [present[0], present.at(-1)]
    const growth = present.length < 2 || first === undefined || last === undefined ? null : last / first
    const cells = values.map((value) => value?.toLocaleString('en-US', { maximumSignificantDigits: 3 }) ?? '')
    console.log(
      `| ${[title, unit, ...cells, growth?.toFixed(2) ?? '', last === undefined ? '' : (nation?.(last) ?? '')].join(' | ')} |`,
    )
    if (growth === null || measured.length < sizes.length) continue
    const goal: Figure['goal'] = isJudged ? { text: `≤ ${MAX_GROWTH}`, met: growth <= MAX_GROWTH } : null
    if (goal?.met === false) process.exitCode = 1
    report({
      bench: 'large',
      title: `${title}: growth to ${sizeNames.at(-1)} parcels`,
      measured: growth.toFixed(2),
      goal,
    })
  }
  console.log('')
}
