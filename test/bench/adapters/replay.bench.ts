import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findAdapter } from '../../../adapters/registry'
import { connectDatabase } from '../../../core/postgres/database'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { replay as replayCase } from '../../../dev/adapter-cases/replay'
import { configOf, targetOf } from '../../../dev/adapter-cases/run-case'
import { migrate } from '../../../drizzle/migrate'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { createPageKeeper } from '../../../src/scrape/pages/keep-pages'
import { createPageStore } from '../../../src/scrape/pages/page-store'
import { recordAnswers } from '../../../src/scrape/pages/record-answers'
import { replayPages } from '../../../src/scrape/pages/replay-pages'
import type { ReplayReport } from '../../../src/scrape/pages/replay-report'
import { createReaderPool } from '../../../src/scrape/readers/reader-pool'
import type { Readers } from '../../../src/scrape/readers/readers'
import { review } from '../../../src/scrape/review/review'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { FAULTY_FIELDS } from '../load/faulty-fields'
import { processorMs } from '../processor-time'
import { report } from '../report'

/*
 * bun run bench replay [--pages 10000]
 * Keeps the pages of this many parcels and reads them again, as `bun run adapter replay` does: with reader processes, which parse the
 * pages, and with the database. The pages are those of a vendor's fixture, with another parcel number for each parcel. First an adapter
 * with a fault reads them (load/faulty-reader.ts), then the real one. The bench fails unless exactly the fields of the fault change, in
 * every parcel, and a second replay changes nothing. Memory is the peak of this process, and of the largest reader. The processor time is
 * that of all readers and this process, then that of PostgreSQL: both depend little on other load.
 */
const VENDOR = 'pacs-property-access'
const { values: options } = parseArgs({ options: { pages: { type: 'string', default: '10000' } } })
const PAGES = Number(options.pages)

const adapter = findAdapter(VENDOR)
const one = listCases(VENDOR).find(({ name }) => name === 'full')
if (adapter === null || one === undefined) throw new Error(`${VENDOR} has no full case`)

const dir = mkdtempSync(join(tmpdir(), 'bench-replay-'))
const postgres = await startPostgres(join(dir, 'postgres'))
await migrate(postgres.url)
const sql = connectDatabase(postgres.url, { max: 4 })
await insertVendor(sql, VENDOR, 2)
await insertSource(sql, 'bench', VENDOR)
await sql`update sources set base_url = ${one.target.baseUrl}, vendor_config = ${sql.json((one.config ?? {}) as never)} where source = 'bench'`

const store = createPageStore(join(dir, 'pages'))
const readers = createReaderPool()
const faultyReaders = createReaderPool({ program: join(import.meta.dir, '../load/faulty-reader.ts') })

const peakMb = (pid: number): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)

/** The server and its sessions. */
const pidsOfPostgres = (): number[] => {
  const { pid } = postgres
  return [pid, ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)]
}
const processorOfPostgres = (): number => pidsOfPostgres().reduce((sum, pid) => sum + processorMs(pid), 0)

let spentMs = 0
let spentByPostgresMs = 0
const pidsOfReaders = (): number[] => [...readers.pids(), ...faultyReaders.pids()]
const processorOfAll = (): number => [process.pid, ...pidsOfReaders()].reduce((sum, pid) => sum + processorMs(pid), 0)

let isMissed = false

const show = (what: string, seconds: number, more: string, goals: { isRight?: boolean } = {}): void => {
  const rate = Math.round(PAGES / seconds)
  const [now, ofPostgres] = [processorOfAll(), processorOfPostgres()]
  const each = [(now - spentMs) / PAGES, (ofPostgres - spentByPostgresMs) / PAGES]
    .map((ms) => ms.toFixed(1))
    .join(' + ')
  spentMs = now
  spentByPostgresMs = ofPostgres
  const memory = `${each} ms of processor time each, ${peakMb(process.pid)} MB, readers ${Math.max(0, ...pidsOfReaders().map(peakMb))} MB`
  console.log(`${what}: ${PAGES} page sets in ${seconds.toFixed(1)} s, ${rate}/s; ${more}; ${memory}`)
  const goal = goals.isRight === undefined ? null : { text: 'exactly the fields of the fault', met: goals.isRight }
  if (goal?.met === false) isMissed = true
  report({ bench: 'replay', title: `${what}, ${PAGES} page sets`, measured: `${rate} page sets/s, ${memory}`, goal })
}

const timed = async <Result>(work: () => Promise<Result>): Promise<[Result, number]> => {
  const startedAt = performance.now()
  const result = await work()
  return [result, (performance.now() - startedAt) / 1000]
}

const keepAll = async (): Promise<string> => {
  const signal = AbortSignal.timeout(10_000)
  const recording = recordAnswers(adapter, { http: replayCase(one), openPage: null, signal })
  await recording.adapter.fetch(targetOf(one), configOf(adapter, one), recording.context)
  const text = JSON.stringify(recording.list().answers)
  const { sourceParcelId } = one.target
  const keeper = createPageKeeper({ sql, store, maxBytes: 10 * 1024 ** 3 })
  for (let number = 1; number <= PAGES; number++) {
    const id = numbered(sourceParcelId, number)
    const answers = JSON.parse(text.replaceAll(sourceParcelId, id))
    const answeredAt = answers.map(() => new Date().toISOString())
    const set = {
      source: 'bench',
      sourceParcelId: id,
      answers,
      answeredAt,
      adapter: VENDOR,
      overrides: {},
      failure: null,
    }
    while (keeper.keep(set) === null) await keeper.settle()
  }
  await keeper.settle()
  await keeper.stop()
  const [row] = await sql<{ size: number }[]>`select avg(size_bytes)::float8 as size from kept_pages`
  return `${(text.length / 1024).toFixed(1)} KB each, ${((row?.size ?? 0) / 1024).toFixed(1)} KB compressed`
}

/** Another number that begins like this one. */
const numbered = (id: string, number: number): string => `${id.slice(0, -7)}${String(number).padStart(7, '0')}`

const replay = (isApplied: boolean, using: Readers = readers): Promise<ReplayReport> =>
  replayPages({ sql, store, readers: using, findAdapter, review }, { source: 'bench', isApplied })
const describe = ({ read, created, changed, fields }: ReplayReport): string =>
  `${read} read, ${created} added, ${changed} changed, ${fields.size} fields`

/** Whether the fields of the fault changed in every parcel, and no other field of any. */
const isFixed = ({ read, created, changed, fields }: ReplayReport): boolean =>
  read === PAGES &&
  created === 0 &&
  changed === PAGES &&
  fields.size === FAULTY_FIELDS.length &&
  FAULTY_FIELDS.every((name) => fields.get(name)?.count === PAGES)

try {
  const [sizes, storing] = await timed(keepAll)
  show('keep', storing, sizes)
  const [added, adding] = await timed(() => replay(true, faultyReaders))
  show('replay into an empty source', adding, describe(added))
  faultyReaders.stop()
  spentMs = processorOfAll()
  const [dry, showing] = await timed(() => replay(false))
  show('dry run of a fix', showing, describe(dry), { isRight: isFixed(dry) })
  const [fixed, applying] = await timed(() => replay(true))
  show('application of a fix', applying, describe(fixed), { isRight: isFixed(fixed) })
  const [same, comparing] = await timed(() => replay(true))
  show('replay that changes nothing', comparing, describe(same), { isRight: same.read === PAGES && same.changed === 0 })
  if (isMissed) process.exitCode = 1
} finally {
  readers.stop()
  faultyReaders.stop()
  await sql.end({ timeout: 5 })
  await postgres.stop()
  rmSync(dir, { recursive: true })
}
