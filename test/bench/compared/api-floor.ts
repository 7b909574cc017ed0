import type { Bbox } from '../../../core/geometry/bbox'
import { LISTED_PARCELS } from '../../../core/parcels/filter'
import { connectDatabase } from '../../../core/postgres/database'
import { MAIN_FIELDS } from '../../../drizzle/queries/parcels/list-fields'
import { listFoundParcels } from '../../../drizzle/queries/parcels/list-parcels'
import { findParcelJson } from '../../../drizzle/queries/parcels/parcels'

/*
 * The floor of `bench api`: bare Bun.serve and the service's own SQL, without auth, validation or routing. The first argument selects
 * the case, so that it does not even have to route.
 */
const [name, databaseUrl = '', port] = process.argv.slice(2)
const sql = connectDatabase(databaseUrl, { max: 10 })
const json = { headers: { 'content-type': 'application/json' } }

const handlers: Record<string, (request: Request) => Promise<Response>> = {
  parcel: async ({ url }) => {
    const [, , , , , source = '', id = ''] = url.split('/')
    return new Response(await findParcelJson(sql, { source, id: decodeURIComponent(id) }), json)
  },
  box: async ({ url }) => {
    const bbox = url
      .slice(url.indexOf('bbox=') + 5)
      .split('&')[0]
      ?.split(',')
      .map(Number) as Bbox
    const filter = { ...LISTED_PARCELS, bbox }
    const list = { filter, fields: MAIN_FIELDS, withGeometry: false, order: 'id', after: null } as const
    const { count, rows } = await listFoundParcels(sql, list, 1001)
    return new Response(`{"count":${count},"parcels":[${rows ?? ''}],"next":null}`, json)
  },
  health: async () => {
    await sql`select 1`
    return new Response(`{"status":"ok","time":"${new Date().toISOString()}"}`, json)
  },
}

const handler = handlers[name ?? '']
if (handler === undefined) throw new Error(`no case ${name}`)
Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: handler })
console.log('ready')
