import type { Scenario } from '../scenario'

const ROWS = 2_000
/** The connections of an export, a match, a load of a file and a build of tiles. */
const APPLICATIONS = ['export', 'match', 'ingest', 'tiles-build']

export const scenario: Scenario = {
  promise:
    'an export, a match, a load of a file and a build of tiles end although their connections to PostgreSQL died',
  roles: ['api', 'worker', 'tiles'],
  run: async ({ sql, roles, call, recovers }) => {
    const send = async (path: string, method: string, body: string, type = 'application/json') => {
      const response = await call(path, { method, body, headers: { 'content-type': type } })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as { id: string }
    }
    const post = (path: string, body: object) => send(path, 'POST', JSON.stringify(body))
    const waiting = async () =>
      (
        await sql<{ name: string }[]>`
          select distinct application_name as name from pg_stat_activity
          where application_name = any(${APPLICATIONS}) and wait_event_type = 'Lock'`
      ).length
    const open = async () =>
      (
        await sql<{ kind: string }[]>`
          select kind::text from work where kind in ('export', 'match', 'ingest', 'load') and status in ('queued', 'running')
          union all select 'tiles' from tile_builds where status = 'building'`
      ).map(({ kind }) => kind)

    await recovers(
      'the first archive is published',
      async () =>
        (await open()).length === 0 && (await sql`select from tile_builds where status = 'published'`).length > 0,
      30_000,
    )
    await sql`insert into sources (source, state, county_name, vendor, base_url) values ('elm', 'OR', 'Elm', 'file', '')`
    const lines = Array.from({ length: ROWS }, (_, n) => `E-${n},OWNER ${n}`)
    const content = ['source_parcel_id,owner_name', ...lines].join('\n')
    const { id: file } = await post('/v1/files', { name: 'elm.csv', size_bytes: content.length })
    await send(`/v1/files/${file}?offset=0`, 'PATCH', content, 'application/octet-stream')
    await sql.begin(async (tx) => {
      await tx`lock table parcels in access exclusive mode`
      await post('/v1/exports', { format: 'csv' })
      await send('/v1/matches', 'POST', 'owner_name\nADA JUNIPER', 'text/csv')
      await post('/v1/loads', { source: 'elm', file })
      await post('/v1/admin/tiles/build', {})
      await recovers('all of them wait to read', async () => (await waiting()) === APPLICATIONS.length, 30_000)
      for (const { links } of roles) links.postgres.swallow('open')
    })
    await recovers('all of them end', async () => (await open()).length === 0, 90_000)
    const failed = await sql<{ kind: string; message: string }[]>`
      select kind, error_message as message from work where kind in ('export', 'match', 'ingest', 'load') and status = 'error'`
    if (failed.length > 0) throw new Error(failed.map(({ kind, message }) => `${kind}: ${message}`).join('; '))
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from parcels where source = 'elm'`
    if (row?.count !== ROWS) throw new Error(`${row?.count} of ${ROWS} parcels are loaded`)
  },
}
