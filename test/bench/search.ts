import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureReindex } from './search/reindex'
import { measureRelevance } from './search/relevance'
import { readRoll } from './search/roll'
import { startServers } from './search/servers'
import { measureSpeed } from './search/speed'

/*
 * bun run bench search [--file ROLL] [--map MAP] [--only relevance,speed,reindex] [--seed 1] [--queries 400] [--class TITLE] [--misses]
 *   [--parcels 1000000] [--data .data/bench]
 *
 * Compares the service, in a separate process and over HTTP, with raw Meilisearch (default settings) and pg_trgm on the same data:
 * - relevance on a real roll (`--file` and `--map` as in `bun run ingest`; skipped without a file)
 * - speed, and a rebuild of the index, on the sample county
 * Keeps the loaded servers in `--data`. Exits with code 1 when a goal is missed.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    only: { type: 'string', default: 'relevance,speed,reindex' },
    file: { type: 'string' },
    map: {
      type: 'string',
      default: 'source_parcel_id=tlid, owner_name=owner, situs_address=address, situs_city=city, zoning_code=zoned_as',
    },
    seed: { type: 'string', default: '1' },
    queries: { type: 'string', default: '400' },
    class: { type: 'string', default: '' },
    misses: { type: 'boolean', default: false },
    parcels: { type: 'string', default: '1000000' },
    data: { type: 'string', default: '.data/bench' },
  },
})
// Relevance needs a real roll, which the user must provide.
const sections = options.only.split(',').filter((section) => section !== 'relevance' || options.file !== undefined)
const data = resolve(options.data)
const seed = Number(options.seed)
const missed: string[] = []

if (sections.includes('relevance') && options.file !== undefined) {
  if (!existsSync(options.file)) {
    console.error(`there is no file ${options.file}`)
    process.exit(2)
  }
  const name = Bun.hash(`${resolve(options.file)} ${options.map}`).toString(36)
  const servers = await startServers(join(data, `roll-${name}`, 'postgres'), join(data, `roll-${name}`, 'meilisearch'))
  try {
    const parcels = await readRoll(options.file, options.map)
    const { queries, class: only, misses } = options
    missed.push(...(await measureRelevance(servers, parcels, { seed, queries: Number(queries), only, misses })))
  } finally {
    await servers.stop()
  }
}
if (sections.includes('speed') || sections.includes('reindex')) {
  const parcels = Number(options.parcels)
  const servers = await startServers(join(data, 'postgres'), join(data, 'meilisearch'))
  try {
    if (sections.includes('speed')) missed.push(...(await measureSpeed(servers, { parcels, seed })))
    if (sections.includes('reindex')) missed.push(...(await measureReindex(servers, { parcels, seed })))
  } finally {
    await servers.stop()
  }
}
for (const goal of missed) console.error(`MISSED ${goal}`)
process.exit(missed.length === 0 ? 0 : 1)
