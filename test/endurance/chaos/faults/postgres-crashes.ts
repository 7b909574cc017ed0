import type { Scenario } from '../scenario'

const CRASHES = 4
const BETWEEN_MS = 3_000
const JOBS = 300
const ROWS = 20_000

/** If a session is killed, PostgreSQL ends all others and recovers from its log, as after `pg_ctl restart -m immediate`. */
export const scenario: Scenario = {
  promise: 'after crashes of PostgreSQL, everything that was acknowledged is stored once, and all work ends',
  roles: ['api', 'worker', 'worker', 'sync'],
  run: async ({ sql, queue, call, countEnded, recovers, say }) => {
    const send = (path: string, method: string, body: string, headers: Record<string, string> = {}) =>
      call(path, { method, body, headers: { 'content-type': 'application/json', ...headers } })
    const order = async (...request: Parameters<typeof send>) => {
      const response = await send(...request)
      if (!response.ok) throw new Error(`${request[0]}: ${response.status} ${await response.text()}`)
      return (await response.json()) as { id: string }
    }
    await queue(JOBS)
    await sql`insert into sources (source, state, county_name, vendor, base_url) values ('elm', 'OR', 'Elm', 'file', '')`
    const content = ['source_parcel_id', ...Array.from({ length: ROWS }, (_, n) => `E-${n}`)].join('\n')
    const announced = { name: 'elm.csv', size_bytes: content.length }
    const { id: file } = await order('/v1/files', 'POST', JSON.stringify(announced))
    await order(`/v1/files/${file}?offset=0`, 'PATCH', content, { 'content-type': 'application/octet-stream' })
    await recovers('the first jobs end', async () => (await countEnded()) >= 10, 30_000)
    await order('/v1/loads', 'POST', JSON.stringify({ source: 'elm', file }))
    await order('/v1/exports', 'POST', JSON.stringify({ format: 'geopackage' }))
    await order('/v1/matches', 'POST', 'owner_name\nADA JUNIPER', { 'content-type': 'text/csv' })

    const acknowledged: string[] = []
    const odd = new Set<number>()
    let isWriting = true
    /** Adds portfolios, and repeats each request until it is accepted. */
    const write = async () => {
      let name = crypto.randomUUID()
      while (isWriting) {
        const { status } = await send('/v1/portfolios', 'POST', JSON.stringify({ name }), { 'idempotency-key': name })
        if (status === 201) acknowledged.push(name)
        else if (status !== 503) odd.add(status)
        if (status === 201) name = crypto.randomUUID()
        await Bun.sleep(200)
      }
    }
    const writing = write()
    for (let n = 0; n < CRASHES; n++) {
      const [victim] = await sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name = 'worker' and datname = current_database() limit 1`
      if (victim !== undefined) process.kill(victim.pid, 'SIGKILL')
      await Bun.sleep(BETWEEN_MS)
      await recovers(
        'requests are answered',
        async () => (await call('/v1/sources?limit=1')).status === 200 && (await sql`select 1`).length === 1,
        15_000,
      )
    }
    isWriting = false
    await writing
    say(`${acknowledged.length} writes were acknowledged`)
    if (odd.size > 0) throw new Error(`writes were answered with ${[...odd].join(', ')}`)
    await recovers('every job ends', async () => (await countEnded()) === JOBS, 90_000)
    await recovers(
      'all work ends',
      async () => (await sql`select from work where status in ('queued', 'running')`).length === 0,
      120_000,
    )
    const failed = await sql<{ kind: string; message: string }[]>`
      select kind, error_message as message from work where status = 'error'`
    if (failed.length > 0) throw new Error(failed.map(({ kind, message }) => `${kind}: ${message}`).join('; '))
    const stored = await sql<{ name: string }[]>`select name from portfolios where name = any(${acknowledged})`
    if (stored.length !== acknowledged.length) throw new Error(`${stored.length} of ${acknowledged.length} are stored`)
    const [loaded] = await sql<{ parcels: number; changes: number }[]>`
      select (select count(*)::int from parcels where source = 'elm') as parcels,
        (select count(*)::int from parcel_changes where source = 'elm') as changes`
    if (loaded?.parcels !== ROWS || loaded.changes !== ROWS)
      throw new Error(`${loaded?.parcels} parcels with ${loaded?.changes} changes, of ${ROWS} rows`)
  },
}
