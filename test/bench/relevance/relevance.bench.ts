import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { report } from '../report'
import { startServers } from '../search/servers'
import { mean } from '../search/statistics'
import { drawCases } from './cases'
import { listCounties, sampleCounty } from './counties'
import type { Engine } from './engine'
import { createMeilisearchEngine } from './engines/meilisearch'
import { createOwnEngine } from './engines/own'
import { createTrigramEngine } from './engines/trigrams'
import { findKinds, measureCorrections, measureKeystrokes, measureRanks, TYPED_KINDS } from './measure'
import { type CountyResult, judge, printCounty } from './report'
import { readRoll } from './roll'

/*
 * bun run bench relevance [--cases 20] [--seeds 1] [--first-seed 1] [--kinds typo,parcel] [--engines ours,meilisearch,pg_trgm]
 *   [--parcels 20000] [--typed 40] [--texts 2000] [--json FILE] [--examples]
 *
 * Compares search engines on queries for records that exist (test/bench/relevance/README.md): on the sample county, or with `ROLLS_DIR` on
 * the counties in that folder. --seeds 3 draws three times as many cases. --typed and --texts are the sizes of the measures of letters typed and of
 * `corrected`; 0 leaves them out. --examples prints false corrections: do not publish those of a real roll.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    cases: { type: 'string', default: '20' },
    seeds: { type: 'string', default: '1' },
    'first-seed': { type: 'string', default: '1' },
    kinds: { type: 'string', default: '' },
    engines: { type: 'string', default: 'ours,meilisearch,pg_trgm' },
    parcels: { type: 'string', default: '20000' },
    typed: { type: 'string', default: '40' },
    texts: { type: 'string', default: '2000' },
    json: { type: 'string' },
    examples: { type: 'boolean', default: false },
  },
})
const folder = process.env.ROLLS_DIR
const counties = folder === undefined ? [sampleCounty(Number(options.parcels))] : listCounties(folder)
const firstSeed = Number(options['first-seed'])
const seeds = Array.from({ length: Number(options.seeds) }, (_, index) => firstSeed + index)
const kinds = findKinds(options.kinds)

const dir = mkdtempSync(join(tmpdir(), 'relevance-'))
const servers = await startServers(join(dir, 'postgres'), join(dir, 'meilisearch'))
const { databaseUrl, meili } = servers
/** Add your engine here. */
const ENGINES: Record<string, () => Engine> = {
  ours: () => createOwnEngine({ databaseUrl, meili, indexPrefix: 'relevance_' }),
  meilisearch: () => createMeilisearchEngine(meili),
  pg_trgm: () => createTrigramEngine(databaseUrl),
}

const measureCounty = async (county: (typeof counties)[number]): Promise<CountyResult> => {
  const startedAt = performance.now()
  const records = await county.read()
  const roll = readRoll(records)
  const cases = drawCases(roll, { count: Number(options.cases), seeds, kinds })
  const typed = drawCases(roll, {
    count: Number(options.typed),
    seeds,
    kinds: kinds.filter(({ title }) => TYPED_KINDS.some((one) => one === title)),
  })
  const result: CountyResult = {
    county: county.name,
    parcels: records.parcels.length,
    companies: records.companies.length,
    seconds: 0,
    kinds: [...cases]
      .filter(([, { length }]) => length > 0)
      .map(([{ title }, { length }]) => ({ title, cases: length, ranks: {} })),
    keystrokes: [...typed]
      .filter(([, { length }]) => length > 0)
      .map(([{ title }, { length }]) => ({ title, cases: length, engines: {} })),
    corrections: {},
  }
  for (const name of options.engines.split(',')) {
    const create = ENGINES[name]
    if (create === undefined)
      throw new Error(`unknown engine ${name}; the engines are ${Object.keys(ENGINES).join(', ')}`)
    const engine = create()
    try {
      await engine.load(records)
      console.error(`${county.name}: ${name} is loaded after ${secondsSince(startedAt)} s`)
      for (const [{ title }, ofKind] of cases) {
        const row = result.kinds.find((kind) => kind.title === title)
        if (row !== undefined) row.ranks[name] = await measureRanks(engine, roll, ofKind)
      }
      for (const [{ title }, ofKind] of typed) {
        const row = result.keystrokes.find((kind) => kind.title === title)
        if (row !== undefined) row.engines[name] = await measureKeystrokes(engine, roll, ofKind)
      }
      const count = Number(options.texts)
      if (engine.correct !== undefined && count > 0) {
        result.corrections[name] = await measureCorrections(engine, roll, { count, seed: firstSeed })
      }
      console.error(`${county.name}: ${name} is measured after ${secondsSince(startedAt)} s`)
    } finally {
      await engine.stop()
    }
  }
  result.seconds = (performance.now() - startedAt) / 1_000
  return result
}

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1_000).toFixed(0)

const results: CountyResult[] = []
/** Without examples, which have the texts of records. */
const writeResults = (file: string): void => {
  const withoutTexts = results.map((result) => ({
    ...result,
    corrections: Object.fromEntries(
      Object.entries(result.corrections).map(([name, { examples: _, ...counts }]) => [name, counts]),
    ),
  }))
  writeFileSync(file, `${JSON.stringify({ seeds, results: withoutTexts }, null, 1)}\n`)
}

try {
  for (const county of counties) {
    const result = await measureCounty(county)
    results.push(result)
    if (options.json !== undefined) writeResults(options.json)
    console.log(`\n${printCounty(result)}`)
    for (const [name, { examples }] of Object.entries(result.corrections)) {
      if (options.examples) for (const example of examples) console.log(`${name}: ${example}`)
    }
    const [first = '', ...rivals] = Object.keys(result.kinds[0]?.ranks ?? {})
    const count = (verdict: string) =>
      result.kinds.filter(
        ({ ranks }) =>
          judge(
            ranks[first] ?? [],
            rivals.map((name) => ranks[name] ?? []),
          ) === verdict,
      ).length
    const overall = (name: string) => mean(result.kinds.map(({ ranks }) => mean(ranks[name] ?? []))).toFixed(3)
    report({
      bench: 'relevance',
      title: `${result.county}, ${result.kinds.length} kinds of queries: mean MRR@10; kinds ahead, level, behind`,
      measured: `${overall(first)}; ${count('ahead')}, ${count('level')}, ${count('behind')}`,
      rival: rivals.map((name) => `${name} ${overall(name)}`).join(', '),
    })
  }
} finally {
  await servers.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(0)
