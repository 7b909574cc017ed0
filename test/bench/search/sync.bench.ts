import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { countOutbox } from '../../../drizzle/queries/search/search-outbox'
import { hasLiveIndexes } from '../../../search/index/index-build'
import { connectMeilisearch, indexNames } from '../../../search/index/indexes'
import { createProgress } from '../../../src/cli/terminal/progress'
import { findFreePort } from '../../../src/operations/embedded/child'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { atMost, report } from '../report'

/*
 * bun run bench sync [--parcels 1000000] [--rows 500] [--seconds 60] [--rebuild] [--drift]
 *
 * Measures how long it takes until a search finds a committed change, while --rows rows change each second. The sync role runs as a
 * separate process, and its peak memory is read from the system. With --rebuild it instead rebuilds the index and shows how long
 * searches take during the rebuild, and whether any fail. With --drift it times one drift check. Data is kept in .data/bench.
 */
const { values: options } = parseArgs({
  options: {
    parcels: { type: 'string', default: '1000000' },
    rows: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
    rebuild: { type: 'boolean', default: false },
    drift: { type: 'boolean', default: false },
  },
})
const parcels = Number(options.parcels)
const rowsPerSecond = Number(options.rows)
/** Rows change in this many transactions per second. The bench searches for one row of every fifth transaction. */
const WRITES_PER_SECOND = 20
const SAMPLE_EVERY = 5
const GIVE_UP_MS = 60_000

const dir = resolve('.data/bench')
const [postgres, meili] = await Promise.all([
  startPostgres(join(dir, 'postgres'), { shared_buffers: '2GB' }),
  startMeilisearch(join(dir, 'meili1m')),
])
if (meili === null) throw new Error('there is no Meilisearch for this platform')
const sql = connectDatabase(postgres.url, { max: 6 })
const client = connectMeilisearch(meili, 10_000)
const indexes = indexNames('')

const seed = async () => {
  await migrate(postgres.url)
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from parcels`
  if ((row?.n ?? 0) >= parcels) return
  using progress = createProgress('sample parcels', parcels)
  await seedSampleCounty(sql, { parcels, entities: Math.round(parcels / 16), onProgress: progress.update })
  progress.finish(`${parcels} sample parcels`)
  await sql`vacuum analyze`
}

const metricsPort = await findFreePort()
const startProcess = (command: string[]) =>
  Bun.spawn(command, {
    stdout: 'inherit',
    stderr: 'inherit',
    env: {
      ...process.env,
      DATABASE_URL: postgres.url,
      MEILI_URL: meili.url,
      MEILI_MASTER_KEY: meili.masterKey,
      HOST: '127.0.0.1',
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'warn',
    } as Record<string, string>,
  })

/** The peak resident memory of a process, in MB. */
const readPeakMemory = (pid: number): number => {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1000
}

const readMetric = async (name: string): Promise<number> => {
  const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
    .then((answer) => answer.text())
    .catch(() => '')
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}

/** Waits until the sync role leads and the index is built and up to date. */
const waitUntilInStep = async () => {
  while (
    (await readMetric('search_sync_leading')) !== 1 ||
    (await readMetric('search_rebuild_documents_total')) !== 0
  ) {
    await Bun.sleep(200)
  }
  while (!(await hasLiveIndexes(client, indexes)) || (await countOutbox(sql)) > 0) await Bun.sleep(200)
}

const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN

/** Goal for the p95 of the time from the commit of a change until a search finds it. */
const MAX_SEARCHABLE_MS = 1_500
const MAX_SYNC_MB = 300
const missed: string[] = []

/** Reports a figure, and records a miss when it is above `goal`. */
const judge = (title: string, value: number, goal: number, unit: string) => {
  report({ bench: 'sync', title, measured: `${value.toFixed(0)}${unit}`, goal: atMost(value, goal) })
  if (value > goal) missed.push(`${title}: ${value.toFixed(0)}${unit}, goal at most ${goal}`)
}

const summarize = (title: string, times: readonly number[], mostMs: number | null) => {
  const figures = (
    [
      ['p50', 0.5],
      ['p95', 0.95],
      ['p99', 0.99],
      ['max', 1],
    ] as const
  ).map(([name, share]) => `${name} ${percentile(times, share).toFixed(0)} ms`)
  console.log(`${title}: ${times.length} times, ${figures.join(', ')}`)
  const p95 = percentile(times, 0.95)
  const about = `${title}, ${parcels} parcels, p95`
  if (mostMs === null) report({ bench: 'sync', title: about, measured: `${p95.toFixed(0)} ms` })
  else judge(about, p95, mostMs, ' ms')
}

/** A word that is in no record and resembles no other word. */
const drawWord = () =>
  `zq${Array.from(crypto.getRandomValues(new Uint8Array(8)), (n) => 'bcdfghjklmnp'[n % 12]).join('')}`

/** The time from the commit until a search for the new owner's name finds the parcel. Null if it never did. */
const waitUntilFound = async (id: string, word: string, committedAt: number): Promise<number | null> => {
  while (performance.now() - committedAt < GIVE_UP_MS) {
    const { hits } = await client
      .index<{ id: string }>(indexes.parcels)
      .search(word, { limit: 3, attributesToRetrieve: ['id'] })
    if (hits.some((hit) => hit.id === id)) return performance.now() - committedAt
    await Bun.sleep(25)
  }
  return null
}

const measureChanges = async () => {
  const ids = (
    await sql<{ id: string }[]>`select id from parcels tablesample system (5) repeatable (7) limit 40000`
  ).map(({ id }) => id)
  const draw = () => ids[Math.floor(Math.random() * ids.length)] ?? ''
  const size = Math.round(rowsPerSecond / WRITES_PER_SECOND)
  const looking: Promise<number | null>[] = []
  const startedAt = performance.now()
  let written = 0
  let deepest = 0
  const total = Number(options.seconds) * WRITES_PER_SECOND
  for (let write = 0; write < total; write++) {
    await Bun.sleep(Math.max(0, startedAt + (write * 1000) / WRITES_PER_SECOND - performance.now()))
    const rows = [...new Set(Array.from({ length: size }, draw))].map((id) => ({ id, name: `BENCH ${drawWord()}` }))
    await sql`
      update parcels p set owner_name = r.name from jsonb_to_recordset(${sql.json(rows)}) as r (id uuid, name text)
      where p.id = r.id`
    written += rows.length
    const [first] = rows
    if (write % SAMPLE_EVERY === 0 && first !== undefined) {
      looking.push(waitUntilFound(first.id, first.name.split(' ')[1] ?? '', performance.now()))
      deepest = Math.max(deepest, await countOutbox(sql))
    }
  }
  const seconds = (performance.now() - startedAt) / 1000
  const times = await Promise.all(looking)
  console.log(
    `${written} rows changed in ${seconds.toFixed(1)} s, ${(written / seconds).toFixed(0)}/s; at most ${deepest} in the outbox`,
  )
  summarize(
    'change to searchable',
    times.filter((time) => time !== null),
    MAX_SEARCHABLE_MS,
  )
  const lost = times.filter((time) => time === null).length
  judge(`changes that were not found within ${GIVE_UP_MS / 1000} s`, lost, 0, '')
}

/** Runs `bun run search:reindex`, and searches all the while. */
const measureRebuild = async () => {
  const rebuild = startProcess(['bun', 'src/cli/reindex.ts'])
  const times: number[] = []
  let failures = 0
  let peak = 0
  let ended = false
  rebuild.exited.then(() => {
    ended = true
  })
  while (!ended) {
    const startedAt = performance.now()
    const hits = await client
      .index(indexes.parcels)
      .search('smith main st', { limit: 20 })
      .then(
        ({ hits }) => hits.length,
        () => 0,
      )
    if (hits === 0) failures++
    times.push(performance.now() - startedAt)
    peak = Math.max(peak, readPeakMemory(rebuild.pid) || 0)
    await Bun.sleep(100)
  }
  summarize('searches during the rebuild', times, null)
  judge('searches during the rebuild that failed or found nothing', failures, 0, '')
  console.log(
    `${failures} of them failed or found nothing; peak memory of the rebuilding process ${peak.toFixed(0)} MB`,
  )
}

try {
  await seed()
  const sync = startProcess(['bun', 'src/main.ts', 'sync'])
  try {
    await waitUntilInStep()
    if (options.rebuild) await measureRebuild()
    else if (options.drift) {
      const check = startProcess(['bun', 'src/cli/reindex.ts', '--check'])
      let peak = 0
      while (check.exitCode === null) {
        peak = Math.max(peak, readPeakMemory(check.pid) || 0)
        await Bun.sleep(100)
      }
      console.log(`the drift check exited with code ${check.exitCode}; peak memory ${peak.toFixed(0)} MB`)
    } else await measureChanges()
    const peakMb = readPeakMemory(sync.pid)
    console.log(`peak resident memory of the sync role ${peakMb.toFixed(0)} MB`)
    judge('peak memory of the sync role', peakMb, MAX_SYNC_MB, ' MB')
  } finally {
    sync.kill('SIGTERM')
    await sync.exited
  }
} finally {
  await sql.end({ timeout: 1 })
  await Promise.all([postgres.stop(), meili.stop()])
}
for (const goal of missed) console.error(`MISSED ${goal}`)
process.exit(missed.length === 0 ? 0 : 1)
