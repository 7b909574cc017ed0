import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureReindex } from './reindex'
import { startServers } from './servers'
import { measureSpeed } from './speed'

/*
 * bun run bench search [--only speed,reindex] [--seed 1] [--parcels 1000000] [--data .data/bench]
 *
 * Compares the speed of the service, in a separate process and over HTTP, with raw Meilisearch (default settings) and pg_trgm on the sample
 * county, and the time of a rebuild of the index. (`bun run bench relevance` compares what they find.) Keeps the loaded servers in `--data`. Exits
 * with code 1 when a goal is missed.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    only: { type: 'string', default: 'speed,reindex' },
    seed: { type: 'string', default: '1' },
    parcels: { type: 'string', default: '1000000' },
    data: { type: 'string', default: '.data/bench' },
  },
})
const sections = options.only.split(',')
const data = resolve(options.data)
const seed = Number(options.seed)
const missed: string[] = []

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
