import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import type { Sql } from '../../../core/postgres/database'
import { listFunctions } from '../../../drizzle/install-functions'
import { findFreePort } from '../../../src/operations/embedded/child'
import { POSTGRES_MALLOC } from '../../../src/operations/embedded/postgres'

/*
 * The rival of `bench boxes`: Debian's PostGIS for PostgreSQL 15, on a server of its own that is removed when the bench ends. Its memory is
 * set as that of our server. It has the same rows twice: as `parcels` for the statements of the service, and as `lots` for PostGIS.
 */

export const HOW_TO_INSTALL = 'apt-get install postgresql-15-postgis-3'

const BINARIES = '/usr/lib/postgresql/15/bin'
const EXTENSION = '/usr/share/postgresql/15/extension/postgis.control'

export interface Rival {
  /** One connection. */
  sql: Sql
  /** Such as `PostGIS 3.3`. */
  name: string
  stop: () => Promise<void>
}

/** Starts the server and copies the parcels of `from`. Null: PostGIS is not installed. */
export const startPostgis = async (from: Sql, settings: Record<string, string>): Promise<Rival | null> => {
  if (!existsSync(EXTENSION)) return null
  const { port, stop } = await startServer({ ...settings, listen_addresses: '127.0.0.1' })
  try {
    // PostgreSQL 15 refuses a setting that the pools of the service have.
    const sql = postgres(`postgres://rival@127.0.0.1:${port}/postgres`, { max: 1, onnotice: () => {} })
    while (!(await sql`select`.then(Boolean, () => false))) await Bun.sleep(100)
    await copyParcels(from, sql)
    await addLots(sql)
    const [row] = await sql<{ version: string }[]>`select postgis_version() as version`
    return {
      sql,
      name: `PostGIS ${row?.version.split(' ')[0]}`,
      stop: async () => {
        await sql.end({ timeout: 1 })
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const startServer = async (settings: Record<string, string>) => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-postgis-'))
  const port = await findFreePort()
  // PostgreSQL refuses to run as root. The package creates the user `postgres`.
  const isRoot = process.getuid?.() === 0
  const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  if (isRoot) Bun.spawnSync(['chown', 'postgres:postgres', dir])
  const run = (...command: string[]) =>
    Bun.spawn([...asUser, ...command], {
      cwd: dir,
      env: { ...process.env, ...POSTGRES_MALLOC },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const initdb = run(
    ...[join(BINARIES, 'initdb'), '-D', join(dir, 'data'), '-U', 'rival', '-A', 'trust'],
    ...['--locale=C', '--encoding=UTF8', '--no-sync'],
  )
  if ((await initdb.exited) !== 0) throw new Error('initdb failed')
  const all = { ...settings, port: String(port), unix_socket_directories: dir, log_min_messages: 'fatal' }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = run(join(BINARIES, 'postgres'), '-D', join(dir, 'data'), ...options)
  return {
    port,
    stop: async () => {
      server.kill('SIGINT')
      await server.exited
      rmSync(dir, { recursive: true })
    },
  }
}

/**
 * The migrations need PostgreSQL 18, so the tables are made from its catalog, with the indexes and functions that the statements use.
 * `json_scalar` came with PostgreSQL 17; here it is `to_json`.
 */
const copyParcels = async (from: Sql, to: Sql): Promise<void> => {
  for (const table of ['sources', 'parcels']) {
    const columns = await from<{ name: string; type: string }[]>`
      select attname as name,
        case when typtype = 'e' then 'text' else format_type(t.oid, a.atttypmod) end as type
      from pg_attribute a join pg_type t on t.oid = atttypid
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`
    const names = columns.map(({ name }) => name).join(', ')
    await to.unsafe(`create table ${table} (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})`)
    const rows = await from.unsafe(`copy (select ${names} from ${table}) to stdout`).readable()
    await pipeline(rows, await to.unsafe(`copy ${table} (${names}) from stdin`).writable())
  }
  const indexes = await from<{ text: string }[]>`
    select pg_get_indexdef(indexrelid) as text from pg_index
    where indexrelid in ('parcels_pkey'::regclass, 'parcels_source_parcel'::regclass, 'parcels_bbox'::regclass)`
  for (const { text } of indexes) await to.unsafe(text)
  await to`create function json_scalar(value anyelement) returns json language sql immutable as 'select to_json(value)'`
  for (const { name, statement } of listFunctions()) {
    if (/^function (box_at|place_geojson|surely_meets|iso_utc)\(/.test(name)) await to.unsafe(statement)
  }
  await to`vacuum analyze parcels`
}

/** All columns of `parcels`, with the boundary as PostGIS keeps it. `geog` has its own index: a cast would be computed for each row. */
const addLots = async (sql: Sql): Promise<void> => {
  await sql`create extension postgis`
  await sql`create table lots (like parcels)`
  await sql`alter table lots drop column geom, drop column bbox`
  await sql`alter table lots add column geom geometry(MultiPolygon, 4326), add column geog geography(MultiPolygon, 4326)`
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'lots'::regclass and attnum > 0 and not attisdropped and attname not in ('geom', 'geog')`
  const names = columns.map(({ name }) => name).join(', ')
  await sql.unsafe(`insert into lots (${names}, geom, geog)
    select ${names}, read.geom, read.geom from parcels, lateral (select ST_SetSRID(ST_GeomFromGeoJSON(parcels.geom), 4326) as geom) read`)
  await sql`create index on lots using gist (geom)`
  await sql`create index on lots using gist (geog)`
  await sql`alter table lots add primary key (id)`
  await sql`vacuum analyze lots`
}
