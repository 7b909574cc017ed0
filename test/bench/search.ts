import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { connectDatabase, type Sql } from '../../drizzle/database'
import { migrate } from '../../drizzle/migrate'
import { upsertEntities } from '../../drizzle/queries/upsert-entities'
import { upsertParcels } from '../../drizzle/queries/upsert-parcels'
import type { ParcelInput } from '../../drizzle/records'
import type { SearchHit } from '../../search/hits'
import { connectMeilisearch, type MeilisearchAddress } from '../../search/indexes'
import { createSearch } from '../../search/search'
import { createSearchSync } from '../../search/sync'
import { startMeilisearch } from '../../src/embedded/meilisearch'
import { startPostgres } from '../../src/embedded/postgres'
import { drawQueries, type KnownItem, type Roll } from './search-queries'

/*
 * bun test/bench/search.ts [--file ROLL.csv[.gz]] [--seed 1] [--queries 400] [--class NAME] [--data DIR] [--misses]
 *
 * Relevance of known-item queries, MRR@10, of this service and of two rivals on the same data: Meilisearch with default
 * settings, and pg_trgm. `--data` keeps the loaded servers' files for the next run; `--misses` prints what was not found first.
 */
const { values: options } = parseArgs({
  options: {
    file: { type: 'string', default: resolve(import.meta.dir, '../../../shared/data/hillsboro_or/parcels.csv.gz') },
    seed: { type: 'string', default: '1' },
    queries: { type: 'string', default: '400' },
    class: { type: 'string' },
    data: { type: 'string' },
    misses: { type: 'boolean', default: false },
    ours: { type: 'boolean', default: false },
  },
})

const SOURCE = 'bench_or'
const RAW_INDEX = 'raw'

const readRoll = (file: string): ParcelInput[] => {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  const rows = parse(text, { columns: true, relax_column_count: true }) as Record<string, string>[]
  const read = (row: Record<string, string>, ...names: string[]) =>
    names.map((name) => row[name]?.trim()).find((value) => value !== undefined && value !== '') ?? null
  const parcels = rows.map((row): ParcelInput => {
    const sourceParcelId = read(row, 'tlid', 'source_parcel_id') ?? ''
    const hash = Bun.hash.xxHash32(sourceParcelId)
    // Rolls without geometry get places: anywhere within some 30 km, always the same.
    const [lon, lat] = [-123 + (hash % 4_000) / 10_000, 45.4 + ((hash >>> 12) % 3_000) / 10_000]
    const [west, south, east, north] = [lon, lat, lon + 0.0002, lat + 0.0002]
    return {
      sourceParcelId,
      ownerName: read(row, 'owner', 'owner_name'),
      situsAddress: read(row, 'address', 'situs_address'),
      situsCity: read(row, 'city', 'situs_city'),
      situsState: read(row, 'state', 'situs_state') ?? 'OR',
      zoningCode: read(row, 'zoned_as', 'zoning_code'),
      bbox: [west, south, east, north],
      geom: {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [west, south],
              [east, south],
              [east, north],
              [west, north],
              [west, south],
            ],
          ],
        ],
      },
    }
  })
  return [...new Map(parcels.map((parcel) => [parcel.sourceParcelId, parcel])).values()].filter(
    ({ sourceParcelId }) => sourceParcelId !== '',
  )
}

const COMPANY = /\b(LLC|INC|CORP|LP|LTD|CO)\b/

const load = async (sql: Sql, databaseUrl: string, meili: MeilisearchAddress, parcels: ParcelInput[]) => {
  const [counted] = await sql<{ count: number }[]>`select count(*)::int as count from parcels`
  const sync = createSearchSync({ databaseUrl, meili })
  sync.start()
  if (counted?.count !== parcels.length) {
    await sql`
      insert into sources (source, state, county_name, vendor, base_url)
      values (${SOURCE}, 'OR', 'Bench', 'pacs', 'https://example.com') on conflict do nothing
    `
    for (let start = 0; start < parcels.length; start += 5_000) {
      await upsertParcels(sql, SOURCE, parcels.slice(start, start + 5_000))
    }
    const companies = [
      ...new Set(parcels.flatMap(({ ownerName }) => (COMPANY.test(ownerName ?? '') ? [ownerName] : []))),
    ]
    await upsertEntities(
      sql,
      'OR',
      companies.map((name, index) => ({ registryNumber: String(index), name: name ?? '' })),
    )
    const client = connectMeilisearch(meili, 60_000)
    await client.deleteIndexIfExists(RAW_INDEX)
    await client.createIndex(RAW_INDEX, { primaryKey: 'id' }).waitTask({ timeout: 60_000 })
    const documents = parcels.map((parcel, id) => ({
      id,
      source_parcel_id: parcel.sourceParcelId,
      owner_name: parcel.ownerName,
      situs_address: parcel.situsAddress,
      situs_city: parcel.situsCity,
      situs_state: parcel.situsState,
      _geo: { lat: parcel.bbox?.[1] ?? 0, lng: parcel.bbox?.[0] ?? 0 },
    }))
    await client.index(RAW_INDEX).addDocuments(documents, { primaryKey: 'id' }).waitTask({ timeout: 600_000 })
    const entities = companies.map((name, id) => ({ id, owner_name: name }))
    await client
      .index(`${RAW_INDEX}_entities`)
      .addDocuments(entities, { primaryKey: 'id' })
      .waitTask({ timeout: 600_000 })
    await sql`vacuum analyze`
  }
  await Bun.sleep(500)
  await sync.drain(600_000)
  await sync.stop()
}

/** What a rival answers: owner names and addresses of its first ten. */
type Answer = { ownerName: string | null; situsAddress: string | null; sourceParcelId?: string }[]
type Ask = (item: KnownItem) => Promise<Answer>

const createRivals = async (sql: Sql, meili: MeilisearchAddress): Promise<Record<string, Ask>> => {
  const client = connectMeilisearch(meili)
  const search = createSearch({ sql, meili })
  await search.refreshVocabulary()
  // Default settings know no place: `_geo` is neither sortable nor filterable in them.
  const raw: Ask = async ({ q, kind }) => {
    const { hits } = await client
      .index<Record<string, string>>(kind === 'entity' ? `${RAW_INDEX}_entities` : RAW_INDEX)
      .search(q, { limit: 10 })
    return hits.map((hit) => ({
      ownerName: hit.owner_name ?? null,
      situsAddress: hit.situs_address ?? null,
      sourceParcelId: hit.source_parcel_id ?? '',
    }))
  }
  const trigrams: Ask = async ({ q, kind }) =>
    kind === 'entity'
      ? sql`select name as "ownerName", null as "situsAddress" from entities where name % ${q}
          order by similarity(name, ${q}) desc limit 10`
      : sql`select owner_name as "ownerName", situs_address as "situsAddress", source_parcel_id as "sourceParcelId" from parcels
          where owner_name % ${q} or situs_address % ${q}
          order by greatest(similarity(owner_name, ${q}) * 3, similarity(situs_address, ${q}) * 2,
            similarity(situs_city, ${q}) * 1.5) desc limit 10`
  const ours: Ask = async ({ q, kind, near }) => {
    const { hits } = await search.search({
      q,
      limit: 10,
      types: [kind === 'entity' ? 'entities' : 'parcels'],
      state: null,
      source: null,
      lat: near?.lat ?? null,
      lon: near?.lon ?? null,
      proximityKm: 50,
      zoning: null,
      group: null,
    })
    return hits.map(readHit)
  }
  return options.ours ? { ours } : { raw, pg_trgm: trigrams, ours }
}

const readHit = (hit: SearchHit): Answer[number] => {
  if (hit.kind === 'parcel') {
    return { ownerName: hit.owner_name, situsAddress: hit.situs_address, sourceParcelId: hit.source_parcel_id }
  }
  return { ownerName: hit.kind === 'entity' ? hit.name : hit.owner_name, situsAddress: null }
}

const reciprocalRank = (item: KnownItem, answer: Answer): number => {
  const place = answer.findIndex((hit) => item.accept(hit))
  return place < 0 ? 0 : 1 / (place + 1)
}

const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
const percentile = (numbers: number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0

const file = options.file
if (!existsSync(file)) {
  console.error(`no roll at ${file}: name one with --file`)
  process.exit(1)
}
const dir = options.data ?? mkdtempSync(join(tmpdir(), 'bench-search-'))
const [postgres, meilisearch] = await Promise.all([
  startPostgres(join(dir, 'postgres')),
  startMeilisearch(join(dir, 'meilisearch')),
])
try {
  if (meilisearch === null) throw new Error('there is no Meilisearch for this platform')
  await migrate(postgres.url)
  const sql = connectDatabase(postgres.url)
  const parcels = readRoll(file)
  await load(sql, postgres.url, meilisearch, parcels)
  const roll: Roll = parcels.map((parcel) => ({
    sourceParcelId: parcel.sourceParcelId,
    ownerName: parcel.ownerName ?? '',
    situsAddress: parcel.situsAddress ?? '',
    situsCity: parcel.situsCity ?? '',
    lon: parcel.bbox?.[0] ?? 0,
    lat: parcel.bbox?.[1] ?? 0,
  }))
  const classes = drawQueries(roll, Number(options.seed), Number(options.queries))
  const rivals = await createRivals(sql, meilisearch)
  for (const ask of Object.values(rivals)) {
    for (const items of classes.values()) for (const item of items.slice(0, 3)) await ask(item)
  }
  const names = Object.keys(rivals)
  const times = new Map(names.map((name) => [name, [] as number[]]))
  console.log(`${parcels.length} parcels, seed ${options.seed}`)
  console.log(`${'class'.padEnd(30)}${'n'.padStart(5)}${names.map((name) => name.padStart(9)).join('')}`)
  for (const [title, items] of classes) {
    if (options.class !== undefined && !title.includes(options.class)) continue
    const scores: Record<string, number[]> = {}
    for (const [name, ask] of Object.entries(rivals)) {
      scores[name] = []
      for (const item of items) {
        const startedAt = performance.now()
        const answer = await ask(item)
        times.get(name)?.push(performance.now() - startedAt)
        const score = reciprocalRank(item, answer)
        scores[name].push(score)
        if (options.misses && name === 'ours' && score < 1) {
          const first = answer[0]
          console.log(
            `   ${score.toFixed(2)} "${item.q}" is ${item.wanted}, first ${first?.ownerName} | ${first?.situsAddress}`,
          )
        }
      }
    }
    const ours = scores.ours ?? []
    const best = Math.max(...names.filter((name) => name !== 'ours').map((name) => mean(scores[name] ?? [])))
    const error = Math.sqrt(mean(ours.map((score) => (score - mean(ours)) ** 2)) / Math.max(1, ours.length))
    const verdict = mean(ours) >= best ? '' : mean(ours) >= best - 2 * error ? '  (within 2 s.e.)' : '  SHORT'
    const columns = names
      .map((name) =>
        mean(scores[name] ?? [])
          .toFixed(3)
          .padStart(9),
      )
      .join('')
    console.log(`${title.padEnd(30)}${String(items.length).padStart(5)}${columns}${verdict}`)
  }
  for (const share of [0.5, 0.95]) {
    const columns = names
      .map((name) =>
        percentile(times.get(name) ?? [], share)
          .toFixed(1)
          .padStart(9),
      )
      .join('')
    console.log(`${`p${share * 100} ms, one client`.padEnd(35)}${columns}`)
  }
  await sql.end({ timeout: 1 })
} finally {
  await Promise.all([postgres.stop(), meilisearch?.stop()])
  if (options.data === undefined) rmSync(dir, { recursive: true, force: true })
}
process.exit(0)
