import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { LISTED_PARCELS } from '../../../core/parcels/filter'
import { connectDatabase, type Sql } from '../../../core/postgres/database'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { migrate } from '../../../drizzle/migrate'
import { MAIN_FIELDS } from '../../../drizzle/queries/parcels/list-fields'
import { createProgress } from '../../../src/cli/terminal/progress'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { findParcelsAt } from '../../../src/parcels/parcels-at-point'
import { findParcelsNear } from '../../../src/parcels/parcels-near'
import { processorMs } from '../processor-time'
import { atMost, report } from '../report'
import { percentile } from './statistics'

/*
 * bun run bench places [--parcels 20000] [--questions 200] [--data .data/bench-places]
 *
 * Measures questions about places, with random parcels as places: the parcels at a point, and the 500 nearest with their fields. The floor is
 * the same rows by a plain query: candidates at the point by the index of boxes, and 500 rows by their ids. Times include waiting for other
 * work on the machine; the processor time of this process and of PostgreSQL's session does not.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '20000' },
    questions: { type: 'string', default: '200' },
    data: { type: 'string', default: '.data/bench-places' },
  },
})
const parcels = Number(options.parcels)
const questions = Number(options.questions)
const NEAREST = 500
const MAX_P95_MS = { at: 5, near: 25 }

interface Place {
  lon: number
  lat: number
}

interface Measure {
  p95Ms: number
  /** Processor time of one question, of this process and of the database. */
  processorMs: number
}

const measure = async (
  sql: Sql,
  places: readonly Place[],
  ask: (place: Place) => Promise<unknown>,
): Promise<Measure> => {
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const readProcessor = () => processorMs(process.pid) + processorMs(session?.pid ?? 0)
  for (const place of places.slice(0, 20)) await ask(place)
  const before = readProcessor()
  const times: number[] = []
  for (const place of places) {
    const startedAt = performance.now()
    await ask(place)
    times.push(performance.now() - startedAt)
  }
  return { p95Ms: percentile(times, 0.95), processorMs: (readProcessor() - before) / places.length }
}

const folder = resolve(options.data)
mkdirSync(folder, { recursive: true })
const server = await startPostgres(join(folder, 'postgres'), { shared_buffers: '1GB', synchronous_commit: 'off' })
// One connection, so that one session does all the work.
const sql = connectDatabase(server.url, { max: 1 })
let isMissed = false
try {
  await migrate(server.url)
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from parcels`
  if ((row?.n ?? 0) < parcels) {
    using progress = createProgress('sample parcels', parcels)
    await seedSampleCounty(sql, { parcels, entities: 0, onProgress: progress.update })
    progress.finish(`${parcels} sample parcels`)
    await sql`vacuum analyze`
  }
  const places = await sql<Place[]>`
    select (center(bbox))[0] as lon, (center(bbox))[1] as lat from parcels where bbox is not null order by md5(id::text) limit ${questions}`
  const rows = { filter: LISTED_PARCELS, fields: MAIN_FIELDS, geometry: 'none' as const, after: null }
  const ids = await sql<{ id: string }[]>`select id from parcels order by md5(id::text) limit ${NEAREST}`
  const cases = {
    at: {
      title: 'the parcels at a point',
      ask: (place: Place) => findParcelsAt(sql, { ...rows, at: place, limit: 100 }),
      floor: ({ lon, lat }: Place) => sql`
        select id, geom::text from parcels where bbox && box(point(${lon}, ${lat}), point(${lon}, ${lat}))`,
    },
    near: {
      title: `the ${NEAREST} nearest parcels`,
      ask: (place: Place) => findParcelsNear(sql, { ...rows, near: place, withinM: 50_000, limit: NEAREST }),
      floor: () => sql`
        select id, source, source_parcel_id, owner_name, situs_address, assessed_value, land_use_class, geom::text
        from parcels where id = any(${ids.map(({ id }) => id)}::uuid[])`,
    },
  }
  for (const [name, { title, ask, floor }] of Object.entries(cases)) {
    const floors = await measure(sql, places, floor)
    const measured = await measure(sql, places, ask)
    const goal = atMost(measured.p95Ms, MAX_P95_MS[name as keyof typeof MAX_P95_MS])
    const describe = ({ p95Ms, processorMs }: Measure) =>
      `p95 ${p95Ms.toFixed(1)} ms, processor ${processorMs.toFixed(1)} ms`
    const ratio = measured.processorMs / Math.max(0.01, floors.processorMs)
    console.log(
      `${title}: ${describe(measured)}; floor ${describe(floors)}; ratio ${ratio.toFixed(1)}; goal p95 ${goal.text} ms: ${goal.met ? 'met' : 'MISSED'}`,
    )
    report({ bench: 'places', title, measured: describe(measured), rival: describe(floors), goal })
    isMissed ||= !goal.met
  }
} finally {
  await sql.end({ timeout: 1 })
  await server.stop()
}
process.exit(isMissed ? 1 : 0)
