import { parseArgs } from 'node:util'
import type { PendingQuery, Row } from 'postgres'
import type { Bbox } from '../../../core/geometry/bbox'
import { LISTED_PARCELS } from '../../../core/parcels/filter'
import { connectDatabase, type Db, type Sql } from '../../../core/postgres/database'
import { MAIN_FIELDS } from '../../../drizzle/queries/parcels/list-fields'
import { listFoundParcels, ROW_SEPARATOR } from '../../../drizzle/queries/parcels/list-parcels'
import { findParcels, type ParcelPage } from '../../../src/parcels/list-parcels'
import { findParcelsAt } from '../../../src/parcels/parcels-at-point'
import { findParcelsNear } from '../../../src/parcels/parcels-near'
import { HOW_TO_INSTALL, startPostgis } from '../compared/postgis'
import { processorMs } from '../processor-time'
import { atMost, report } from '../report'
import { drawBoxes, openSampleDatabase } from '../sample-database'
import { mean, median, percentile } from '../search/statistics'

/*
 * bun run bench boxes [--parcels 300000] [--rows 350] [--places 100] [--rounds 5]
 *
 * Compares questions about places with PostGIS on the same rows: the service's functions and their statements on PostgreSQL 18, the same on
 * PostgreSQL 15, and PostGIS on PostgreSQL 15, one connection each, in turns. Every answer has the fields of a lightweight row in the order of
 * the service, which returns JSON; PostGIS returns columns, or JSON like the service. The processor time is that of the server's session; the other times include the client.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    parcels: { type: 'string', default: '300000' },
    rows: { type: 'string', default: '350' },
    places: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
})
const LIMIT = 1_000
const NEAREST = 100
const WITHIN_M = 300
const SETTINGS = {
  shared_buffers: '2GB',
  synchronous_commit: 'off',
  jit: 'off',
  random_page_cost: '1.1',
  work_mem: '16MB',
}
/** The number of boxes for which buffers are measured. Each takes one run of EXPLAIN. */
const EXPLAINED = 10

/** Returns the ids of the parcels. */
type Ask = (db: Sql, place: { box: Bbox; lon: number; lat: number }) => Promise<string[]>

interface Case {
  title: string
  ours: Ask
  rival: Ask
  /** Other PostGIS conditions. Their answers are compared, but not timed. */
  also?: { title: string; ask: Ask }
}

const idsOfPage = ({ parcels }: ParcelPage): string[] => parcels.map(({ body }) => idOf(body))
const idOf = (body: string): string => body.slice('{"id":"'.length, '{"id":"'.length + 36)
const page = { fields: MAIN_FIELDS, geometry: 'none' as const, after: null }
const inBox = (bbox: Bbox) => ({ ...page, filter: { ...LISTED_PARCELS, bbox }, order: 'id' as const })

/** What the statements of PostGIS return. */
let asJson = false

const lots = async (
  db: Sql,
  condition: PendingQuery<Row[]>,
  { order = db`id`, limit = LIMIT }: { order?: PendingQuery<Row[]>; limit?: number } = {},
): Promise<string[]> => {
  const found = db`
    select id, source, source_parcel_id, owner_name, situs_address, assessed_value, land_use_class from lots
    where retired_at is null and ${condition} order by ${order} limit ${limit + 1}`
  if (!asJson) return ((await found) as unknown as { id: string }[]).slice(0, limit).map(({ id }) => id)
  const [row] = await db<{ rows: string | null }[]>`
    select string_agg(row_to_json(found)::text, ${ROW_SEPARATOR}) as rows from (${found}) found`
  return (row?.rows?.split(ROW_SEPARATOR) ?? []).slice(0, limit).map(idOf)
}
const envelope = (db: Sql, [west, south, east, north]: Bbox) =>
  db`ST_MakeEnvelope(${west}::float8, ${south}::float8, ${east}::float8, ${north}::float8, 4326)`
const pointOf = (db: Sql, { lon, lat }: { lon: number; lat: number }) =>
  db`ST_SetSRID(ST_MakePoint(${lon}::float8, ${lat}::float8), 4326)`
const geogOf = (db: Sql, place: { lon: number; lat: number }) => db`${pointOf(db, place)}::geography`

const cases: Case[] = [
  {
    title: 'boxes that meet the box: `geom && box`',
    ours: async (db, { box }) => {
      const { rows } = await listFoundParcels(db, { ...inBox(box), withGeometry: false }, LIMIT + 1)
      return (rows?.split(ROW_SEPARATOR) ?? []).map(idOf)
    },
    rival: (db, { box }) => lots(db, db`geom && ${envelope(db, box)}`),
  },
  {
    title: 'boundaries that meet the box: `ST_Intersects(geom, box)`',
    ours: async (db, { box }) => idsOfPage(await findParcels(db, { ...inBox(box), limit: LIMIT, asOf: null })),
    rival: (db, { box }) => lots(db, db`ST_Intersects(geom, ${envelope(db, box)})`),
  },
  {
    title: 'at a point: `ST_Intersects(geom, point)`',
    ours: async (db, at) => idsOfPage(await findParcelsAt(db, { ...page, filter: LISTED_PARCELS, at, limit: LIMIT })),
    rival: (db, at) => lots(db, db`ST_Intersects(geom, ${pointOf(db, at)})`, { order: db`ST_Area(geom), id` }),
  },
  {
    title: `within ${WITHIN_M} m: \`ST_DWithin\` on a sphere`,
    ours: async (db, near) =>
      idsOfPage(await findParcelsNear(db, { ...page, filter: LISTED_PARCELS, near, withinM: WITHIN_M, limit: LIMIT })),
    rival: (db, near) =>
      lots(db, db`ST_DWithin(geog, ${geogOf(db, near)}, ${WITHIN_M}, false)`, {
        order: db`ST_Distance(geog, ${geogOf(db, near)}, false), id`,
      }),
    also: {
      title: 'on the spheroid',
      ask: (db, near) => lots(db, db`ST_DWithin(geog, ${geogOf(db, near)}, ${WITHIN_M})`),
    },
  },
  {
    title: `the ${NEAREST} nearest within ${WITHIN_M} m: \`<->\``,
    ours: async (db, near) =>
      idsOfPage(
        await findParcelsNear(db, { ...page, filter: LISTED_PARCELS, near, withinM: WITHIN_M, limit: NEAREST }),
      ),
    rival: (db, near) =>
      lots(db, db`ST_DWithin(geog, ${geogOf(db, near)}, ${WITHIN_M}, false)`, {
        order: db`geog <-> ${geogOf(db, near)}`,
        limit: NEAREST,
      }),
  },
]

/** Sums over all rounds. */
interface Measure {
  times: number[]
  processorMs: number
}

const pidOf = async (sql: Sql): Promise<number> =>
  (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid ?? 0

/** Shared buffers that the statements of a question read, by EXPLAIN. */
const countBuffers = async (sql: Sql, ask: (db: Sql) => Promise<unknown>): Promise<number> => {
  const sent: Parameters<Db>[] = []
  const watched = new Proxy(sql, {
    apply: (target, self, args: Parameters<Db>) => {
      const query = Reflect.apply(target, self, args) as { handler?: (query: unknown) => unknown }
      const { handler } = query
      // Parts of statements are not sent.
      if (handler !== undefined) {
        query.handler = Object.assign((sending: unknown) => {
          sent.push(args)
          return handler(sending)
        }, handler)
      }
      return query
    },
  })
  await ask(watched)
  let buffers = 0
  for (const args of sent) {
    const [row] = await sql<Row[]>`explain (analyze, buffers, format json) ${sql(...args) as never}`
    const plan = row?.['QUERY PLAN'][0].Plan
    buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return buffers
}

const differences = (one: readonly string[], other: readonly string[]): number =>
  new Set(one).symmetricDifference(new Set(other)).size

const database = await openSampleDatabase('.data/bench', {
  parcels: Number(options.parcels),
  entities: Math.round(Number(options.parcels) / 16),
})
const sql = connectDatabase(database.url, { max: 1 })
const rival = await startPostgis(sql, SETTINGS)
if (rival === null) console.log(`no rival: ${HOW_TO_INSTALL}`)
try {
  const boxes = await drawBoxes(sql, { wanted: Number(options.rows), count: Number(options.places) })
  const places = boxes.map((box) => ({ box, lon: (box[0] + box[2]) / 2, lat: (box[1] + box[3]) / 2 }))
  console.log(`\n${options.parcels} parcels, ${places.length} places, ${options.rounds} rounds in turns\n`)
  console.log(
    '| question | rows | p50, p95 ms: PostgreSQL 18 | on 15 | rival, columns | rival, JSON | µs of CPU: PostgreSQL 18 | on 15 | rival, columns | rival, JSON | ratio of CPU to JSON: 18, 15; to columns: 18 | buffers: 18, rival | different |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|---|---|---|')
  for (const { title, ours, rival: ask, also } of cases) {
    const sides = [
      { db: sql, ask: ours },
      ...(rival === null
        ? []
        : [
            { db: rival.sql, ask: ours },
            { db: rival.sql, ask },
            { db: rival.sql, ask, writesJson: true },
          ]),
    ]
    let [rows, different, alsoDifferent] = [0, 0, 0]
    for (const place of places) {
      const [found = [], onOld, theirs] = await Promise.all(sides.map((side) => side.ask(side.db, place)))
      rows += found.length
      if (rival === null) continue
      if (differences(found, onOld ?? []) > 0) throw new Error(`${title}: the servers differ at ${place.box}`)
      different += differences(found, theirs ?? [])
      if (also !== undefined) alsoDifferent += differences(found, await also.ask(rival.sql, place))
    }
    const measures = sides.map((): Measure => ({ times: [], processorMs: 0 }))
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [index, side] of sides.entries()) {
        const measure = measures[index] as Measure
        asJson = 'writesJson' in side
        const pid = await pidOf(side.db)
        const before = processorMs(pid)
        for (const place of places) {
          const startedAt = performance.now()
          await side.ask(side.db, place)
          measure.times.push(performance.now() - startedAt)
        }
        measure.processorMs += processorMs(pid) - before
      }
    }
    asJson = false
    const buffers = await Promise.all(
      [sides[0], sides[2]].map(async (side) => {
        const counts: number[] = []
        if (side === undefined) return 0
        for (const place of places.slice(0, EXPLAINED)) {
          counts.push(await countBuffers(side.db, (db) => side.ask(db, place)))
        }
        return mean(counts)
      }),
    )
    const times = measures.map((m) => `${median(m.times).toFixed(2)}, ${percentile(m.times, 0.95).toFixed(2)}`)
    const cpu = measures.map((m) => (m.processorMs * 1_000) / m.times.length)
    const [current = 0, old = 0, columns = 0, theirs = 0] = cpu
    const both = `${different}${also === undefined ? '' : `; ${also.title}: ${alsoDifferent}`}`
    const cells =
      rival === null
        ? ['', '', '', current.toFixed(0), '', '', 'no rival', '', buffers[0]?.toFixed(0), '']
        : [
            ...[times[1], times[2], times[3], ...cpu.map((us) => us.toFixed(0))],
            ...[[current / theirs, old / theirs, current / columns].map((ratio) => ratio.toFixed(2)).join(', ')],
            ...[buffers.map((count) => count.toFixed(0)).join(', '), both],
          ]
    console.log(`| ${[title, (rows / places.length).toFixed(0), times[0], ...cells].join(' | ')} |`)
    report({
      bench: 'boxes',
      title: `${title}, ${options.parcels} parcels`,
      measured: `${current.toFixed(0)} µs of CPU, p50, p95 ${times[0]} ms`,
      rival: rival === null ? 'no rival' : `${rival.name}: ${theirs.toFixed(0)} µs, ${times[3]} ms`,
      goal: rival === null ? null : atMost(Number((current / theirs).toFixed(2)), 1, '×'),
    })
  }
} finally {
  await rival?.stop()
  await sql.end({ timeout: 1 })
  await database.stop()
}
process.exit(0)
