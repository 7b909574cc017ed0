import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Bbox } from '../../core/geometry/bbox'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { migrate } from '../../drizzle/migrate'
import { createProgress } from '../../src/cli/terminal/progress'
import { type EmbeddedPostgres, startPostgres } from '../../src/operations/embedded/postgres'

/** Starts PostgreSQL with its data in `folder`, which is kept, and stores at least this many sample parcels. */
export const openSampleDatabase = async (
  folder: string,
  { parcels, entities }: { parcels: number; entities: number },
): Promise<EmbeddedPostgres> => {
  const dir = resolve(folder)
  mkdirSync(dir, { recursive: true })
  const server = await startPostgres(join(dir, 'postgres'), { shared_buffers: '2GB', synchronous_commit: 'off' })
  await migrate(server.url)
  const sql = connectDatabase(server.url, { max: 4 })
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from parcels`
  if ((row?.n ?? 0) < parcels) {
    using progress = createProgress('sample parcels', parcels)
    await seedSampleCounty(sql, { parcels, entities, onProgress: progress.update })
    progress.finish(`${parcels} sample parcels`)
    await sql`vacuum analyze`
  }
  await sql.end()
  return server
}

/** Boxes with about `wanted` parcels each, around parcels, at most `count` of them. The same ones each time. */
export const drawBoxes = async (sql: Sql, { wanted, count }: { wanted: number; count: number }): Promise<Bbox[]> => {
  const centers = await sql<{ x: number; y: number }[]>`
    select (center(bbox))[0] as x, (center(bbox))[1] as y from parcels where bbox is not null
    order by md5(source_parcel_id) limit ${count}`
  const boxes: Bbox[] = []
  for (const { x, y } of centers) {
    let [low, high] = [0, 0.2]
    for (let step = 0; step < 12; step++) {
      const half = (low + high) / 2
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from (
        select from parcels where bbox && box(point(${x - half}, ${y - half}), point(${x + half}, ${y + half})) limit ${2 * wanted}) t`
      if ((row?.n ?? 0) < wanted) low = half
      else high = half
    }
    boxes.push([x - high, y - high, x + high, y + high].map((degrees) => Number(degrees.toFixed(6))) as unknown as Bbox)
  }
  return boxes
}
