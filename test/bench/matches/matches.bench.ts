import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { connectDatabase } from '../../../core/postgres/database'
import { csvCell } from '../../../core/text/csv-cell'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { storeUpload } from '../../../drizzle/queries/matches/uploads'
import { LIST_FIELDS } from '../../../search/match/list-row'
import { orderMatch } from '../../../src/matches/order-match'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { createMatchRunner } from '../../../src/work/match-runner'
import { takeWork } from '../../../src/work/take-work'
import { listCounties, sampleCounty } from '../relevance/counties'
import { readRoll } from '../relevance/roll'
import { atLeast, atMost, report } from '../report'
import { drawLists } from './draw-lists'
import { listParcels, measureQuality } from './measure-quality'

/*
 * bun run bench matches [--only quality,speed] [--rows 2000] [--seeds 1] [--first-seed 1] [--roll-parcels 20000] [--faults KIND]
 *   [--parcels 1000000] [--list 100000]
 *
 * quality: draws lists of every kind from a roll (matches/draw-lists.ts), and prints the share of matches that are right (precision), of rows
 * that got their parcel (recall), and of rows with several parcels that are reported as ties: for the sample county, or with `ROLLS_DIR`
 * for the rolls in that folder, as in `bench relevance`. --faults prints the rows that went wrong: do not publish those of a real roll.
 *
 * speed: the time of one list on the sample county, from the request to the last stored answer. The goal is 120 s for 100,000 rows on a
 * million parcels.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    only: { type: 'string', default: 'quality,speed' },
    rows: { type: 'string', default: '2000' },
    seeds: { type: 'string', default: '1' },
    'first-seed': { type: 'string', default: '1' },
    'roll-parcels': { type: 'string', default: '20000' },
    faults: { type: 'string' },
    parcels: { type: 'string', default: '1000000' },
    list: { type: 'string', default: '100000' },
  },
})
const sections = options.only.split(',')
const folder = process.env.ROLLS_DIR
const firstSeed = Number(options['first-seed'])
let isMissed = false

const percent = (share: number | null): string => (share === null ? '-' : (100 * share).toFixed(2))

if (sections.includes('quality')) {
  const counties = folder === undefined ? [sampleCounty(Number(options['roll-parcels']))] : listCounties(folder)
  for (const county of counties) {
    const records = await county.read()
    const roll = readRoll(records)
    const parcels = listParcels(records.parcels, records.parcels[0]?.situsState ?? 'OR', county.name)
    for (let seed = firstSeed; seed < firstSeed + Number(options.seeds); seed++) {
      console.log(
        `\n${county.name}, seed ${seed}\n\n| list | rows | precision % | recall % | ties % |\n|---|--:|--:|--:|--:|`,
      )
      for (const list of drawLists(roll, { count: Number(options.rows), seed })) {
        const { kind, rows, precision, recall, ties, faults } = measureQuality(list, parcels)
        console.log(`| ${kind} | ${rows} | ${percent(precision)} | ${percent(recall)} | ${percent(ties)} |`)
        if (options.faults !== undefined && kind.includes(options.faults)) {
          for (const fault of faults.slice(0, 20)) console.log(JSON.stringify(fault))
        }
        report({
          bench: 'matches',
          title: `${county.name}: ${kind}: precision, recall, ties`,
          measured: `${percent(precision)} %, ${percent(recall)} %, ${percent(ties)} %`,
          goal: precision === null ? null : atLeast(precision, 0.995),
        })
      }
    }
  }
}

if (sections.includes('speed')) {
  const dir = mkdtempSync(join(tmpdir(), 'matches-'))
  const postgres = await startPostgres(join(dir, 'postgres'), { shared_buffers: '2GB', synchronous_commit: 'off' })
  try {
    await migrate(postgres.url)
    const sql = connectDatabase(postgres.url)
    const parcels = Number(options.parcels)
    const loadedAt = performance.now()
    await seedSampleCounty(sql, { parcels, entities: 0 })
    await sql`analyze parcels`
    console.error(`${parcels} parcels are loaded after ${((performance.now() - loadedAt) / 1_000).toFixed(0)} s`)
    // Rows of every kind, from a part of the county.
    const records = await sampleCounty(Math.min(parcels, 50_000)).read()
    const lists = drawLists(readRoll(records), { count: Math.ceil(Number(options.list) / 12), seed: firstSeed })
    const rows = lists.flatMap((list) => list.rows.map(({ row }) => row)).slice(0, Number(options.list))
    const lines = rows.map((row) => LIST_FIELDS.map((field) => csvCell(row[field] ?? '')).join(','))
    const content = new TextEncoder().encode([LIST_FIELDS.join(','), ...lines].join('\n'))
    const owner = crypto.randomUUID()
    const upload = crypto.randomUUID()
    await storeUpload(sql, { id: upload, owner, format: 'csv', content, lines: lines.length + 1 })
    const input = { owner, upload, retryOf: null, outcomes: [], columns: null, state: null, county: null, source: null }
    const startedAt = performance.now()
    const id = (await sql.begin((tx) => orderMatch(tx, input, 'bench'))) as string
    const runner = createMatchRunner({ databaseUrl: postgres.url })
    await takeWork({ sql, runner, log: pino({ level: 'warn' }) }, { id, signal: new AbortController().signal })
    const seconds = (performance.now() - startedAt) / 1_000
    const [work] = await sql<{ status: string; result: unknown }[]>`select status, result from work where id = ${id}`
    const memoryMb = Math.round(process.memoryUsage().rss / 1024 / 1024)
    console.log(
      `${rows.length} rows on ${parcels} parcels: ${seconds.toFixed(1)} s, ${memoryMb} MB; ${JSON.stringify(work)}`,
    )
    const goal = atMost(seconds, 120)
    isMissed = !goal.met || work?.status !== 'done'
    report({
      bench: 'matches',
      title: `${rows.length} rows on ${parcels} parcels`,
      measured: `${seconds.toFixed(1)} s`,
      goal,
    })
    await sql.end({ timeout: 1 })
  } finally {
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
process.exit(isMissed ? 1 : 0)
