import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startFileRun } from '../../../../drizzle/queries/refreshes/start-run'
import { createIngestRunner, createPreviewRunner } from '../../../../src/work/ingest-runner'
import { createLoadRunner } from '../../../../src/work/load-runner'
import { takeWork } from '../../../../src/work/take-work'
import { writeZip } from '../../../ingest/files/write-zip'
import { listProcesses } from '../../../runner/descendants'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { createTestApp } from '../../test-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

const MAX_UPLOAD_BYTES = 100_000
const { app, sql, url, call, readKey } = await createTestApp({
  maxUploadBytes: MAX_UPLOAD_BYTES,
  allowPrivateSources: true,
})
const log = pino({ level: 'silent' })
const workDir = mkdtempSync(join(tmpdir(), 'file-loads-'))
afterAll(() => rmSync(workDir, { recursive: true }))

/** Requests that waited for the turn of their host. */
const approached: string[] = []
const deps = {
  ...{ databaseUrl: url, workDir, log, userAgent: 'test', allowPrivateSources: true },
  portals: { approach: async ({ pathname }: URL) => void approached.push(pathname), heed: () => {} },
}
const runners = {
  ingest: createIngestRunner(deps),
  preview: createPreviewRunner(deps),
  load: createLoadRunner({ log }),
}
/** Does the next queued work of a kind, as a worker does. */
const doWork = (kind: keyof typeof runners, signal = new AbortController().signal) =>
  takeWork({ sql, runner: runners[kind], log, retryDelay: () => 0 }, { signal })

const childrenOf = (parent: number): { pid: number; command: string }[] =>
  [...listProcesses()].flatMap(([pid, process]) =>
    process.parent === parent ? { pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') } : [],
  )

const post = (path: string, body?: unknown, options: { key?: string } = {}) =>
  call(path, { method: 'POST', ...(body === undefined ? {} : { body }), ...options })
const workOf = async (id: string) => (await call(`/v1/work/${id}`)).body
const csvOf = (rows: number, owner = 'ADA ELM') =>
  `PIN,Owner,Extra\n${Array.from({ length: rows }, (_, index) => `P${index},${owner} ${index},x\n`).join('')}`
const map = { source_parcel_id: 'PIN', owner_name: 'Owner' }
const addSource = async (source: string, more: object = {}) => {
  const { status } = await post('/v1/sources', { source, state: 'OR', county_name: 'Elm', vendor: 'file', ...more })
  expect(status).toBe(201)
}
const listed = async (source: string) =>
  (await sql`select count(*)::int as n from live_parcels where source = ${source}`)[0]?.n

const begin = (name: string, size: number) => post('/v1/files', { name, size_bytes: size })
const send = async (id: string, offset: number, content: string | Uint8Array<ArrayBuffer>, type?: string) => {
  const response = await app.handle(
    new Request(`http://localhost/v1/files/${id}?offset=${offset}`, {
      method: 'PATCH',
      headers: { 'x-service-key': 'test-admin-key-0123456789', 'content-type': type ?? 'application/octet-stream' },
      body: content,
    }),
  )
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const upload = async (name: string, content: string | Uint8Array<ArrayBuffer>) => {
  const { body } = await begin(name, content.length)
  expect((await send(body.id, 0, content)).status).toBe(200)
  return body.id as string
}

/** Does the next queued load of a file, and kills the process that reads the file while it waits to write parcels. */
const killWhileItWrites = async () => {
  const [lock, killed] = [await sql.reserve(), Promise.withResolvers<void>()]
  await lock`begin`
  await lock`lock table parcels in share mode`
  const attempt = doWork('ingest').finally(killed.resolve)
  await waitFor(async () => {
    const [waiting] = await sql`
      select from pg_stat_activity where datname = current_database() and application_name = 'ingest' and wait_event_type = 'Lock'`
    return waiting !== undefined
  })
  const readers = childrenOf(process.pid).filter(({ command }) => command.includes('loads/file-process'))
  expect(readers).toHaveLength(1)
  for (const { pid } of readers) process.kill(pid, 'SIGKILL')
  await killed.promise
  await lock`rollback`
  lock.release()
  await attempt
}

/** The county's server. */
const county = { etag: '"1"', content: csvOf(30), status: 200, requests: [] as number[] }
const server = Bun.serve({
  port: 0,
  fetch: (request) => {
    const isSame = request.headers.get('if-none-match') === county.etag
    const status = county.status !== 200 ? county.status : isSame ? 304 : 200
    county.requests.push(status)
    const headers = { etag: county.etag }
    return status === 200 ? new Response(county.content, { headers }) : new Response(null, { status, headers })
  },
})
afterAll(() => server.stop(true))
const address = `http://127.0.0.1:${server.port}/parcels.csv`

describe('files', () => {
  test('200: a file arrives in parts; an interrupted upload continues where it stopped', async () => {
    const { status, body } = await begin('lots.csv', 10)
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'lots.csv', size_bytes: 10, received_bytes: 0, created_by: 'test-adm' })
    expect((await send(body.id, 0, 'PIN\n1')).body.received_bytes).toBe(5)
    // The response was lost, so the part is sent again.
    expect((await send(body.id, 0, 'PIN\n1')).body.received_bytes).toBe(5)
    expect(await send(body.id, 3, '11\n1')).toMatchObject({
      status: 409,
      body: { error: 'offset must be 5, the number of bytes received so far' },
    })
    expect((await call(`/v1/files/${body.id}`)).body.received_bytes).toBe(5)
    expect((await send(body.id, 5, '\n2\n3\n')).body.received_bytes).toBe(10)
    expect(await send(body.id, 10, '4')).toMatchObject({
      status: 400,
      body: { error: 'the part ends at 11, and the file has 10 bytes' },
    })
    expect((await call('/v1/files')).body.files[0]).toMatchObject({ id: body.id })
    expect((await call(`/v1/files/${body.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await call(`/v1/files/${body.id}`)).status).toBe(404)
    expect((await send(body.id, 10, '4')).status).toBe(404)
  })

  test('two uploads of one name at the same time do not mix', async () => {
    const [one, other] = await Promise.all([begin('same.csv', 6), begin('same.csv', 6)])
    await Promise.all([send(one.body.id, 0, 'PIN\n1\n'), send(other.body.id, 0, 'PIN\n2\n')])
    const parts = await sql<{ content: Uint8Array }[]>`
      select content from file_parts where file in (${one.body.id}, ${other.body.id}) order by content`
    expect(parts.map(({ content }) => new TextDecoder().decode(content))).toEqual(['PIN\n1\n', 'PIN\n2\n'])
    // The same part twice at the same time: it is stored once.
    const { body } = await begin('twice.csv', 8)
    const answers = await Promise.all([send(body.id, 0, 'PIN\n1'), send(body.id, 0, 'PIN\n1')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await call(`/v1/files/${body.id}`)).body.received_bytes).toBe(5)
    await sql`delete from files`
  })

  test('400 and 409: a file that is too large, or that has no room', async () => {
    expect(await begin('huge.zip', MAX_UPLOAD_BYTES + 1)).toMatchObject({
      status: 400,
      body: { error: 'size_bytes: huge.zip has 100001 bytes, more than 100000 bytes (UPLOADS_MAX_MB)' },
    })
    expect((await begin('half.zip', 60_000)).status).toBe(201)
    expect(await begin('other.zip', 60_000)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('other files take 60000 of 100000 bytes') },
    })
    await sql`delete from files`
    for (const [name, size] of [
      ['a\nb.csv', 5],
      ['', 5],
      ['a.csv', 0],
      ['a.csv', -1],
      ['a.csv', 1.5],
      ['x'.repeat(251), 5],
    ] as const) {
      expect((await begin(name, size)).status).toBe(400)
    }
  })

  test('403, 413 and 415: another key, a part that is too long, and another media type', async () => {
    const { body } = await begin('lots.csv', 10)
    expect((await post('/v1/files', { name: 'a.csv', size_bytes: 1 }, { key: await readKey() })).status).toBe(403)
    expect((await send(body.id, 0, 'PIN', 'text/csv')).status).toBe(415)
    expect((await send(body.id, 0, new Uint8Array(8 * 1024 ** 2 + 1))).status).toBe(413)
    expect((await send('none', 0, 'PIN')).status).toBe(404)
    await sql`delete from files`
  })
})

describe('POST loads/preview', () => {
  test('202: the columns, a guessed map, samples and rejects', async () => {
    const file = await upload('../../Lots of Elm.csv', `${csvOf(3)},NOBODY,x\n`)
    const { status, body } = await post('/v1/loads/preview', { file })
    expect(status).toBe(202)
    await doWork('preview')
    const { status: state, result } = await workOf(body.work_id)
    expect(state).toBe('done')
    expect(result.preview).toMatchObject({
      format: 'csv',
      map: { source_parcel_id: 'PIN', owner_name: 'Owner' },
      rows: { read: 4, parcels: 3, rejected: 1 },
      rejects: [{ count: 1, examples: [{ reason: expect.stringContaining('source_parcel_id') }] }],
    })
    expect(result.preview.columns.map(({ name }: { name: string }) => name)).toEqual(['PIN', 'Owner', 'Extra'])
    expect(readdirSync(workDir)).not.toContain(expect.stringContaining(file))
  })

  test('an archive with several files: their names, to name one of them as the setting layer', async () => {
    const members = ['lots.csv', 'roads.csv'].map((name) => ({ name, content: Buffer.from(csvOf(2)) }))
    const file = await upload('both.zip', new Uint8Array(readFileSync(writeZip('both.zip', members))))
    const { body } = await post('/v1/loads/preview', { file })
    await doWork('preview')
    const { status, result } = await workOf(body.work_id)
    expect([status, result.preview.asks, result.preview.layers]).toEqual(['done', 'layer', ['lots.csv', 'roads.csv']])
    expect(result.preview.error).toBe(
      'both.zip has several files: lots.csv, roads.csv. Which one? Name it with `layer`',
    )
    const again = await post('/v1/loads/preview', { file, settings: { layer: 'lots.csv' } })
    await doWork('preview')
    expect((await workOf(again.body.work_id)).result.preview).toMatchObject({
      asks: null,
      layers: [],
      rows: { parcels: 2 },
    })
  })

  test('a file that cannot be read is an error that says why', async () => {
    const file = await upload('notes.pdf', '%PDF-1.7\u0000\u0001\u0002')
    const { body } = await post('/v1/loads/preview', { file })
    await doWork('preview')
    expect(await workOf(body.work_id)).toMatchObject({ status: 'error', error_code: 'bad_input' })
  })

  test('400, 404 and 409: no file, both, an unknown one, and one that is not complete', async () => {
    expect((await post('/v1/loads/preview', {})).status).toBe(400)
    const { body } = await begin('cut.csv', 10)
    expect(await post('/v1/loads/preview', { file: body.id })).toMatchObject({
      status: 409,
      body: { error: 'cut.csv is not complete: 0 of 10 bytes are here' },
    })
    expect((await post('/v1/loads/preview', { file: body.id, address })).status).toBe(400)
    expect((await post('/v1/loads/preview', { file: Bun.randomUUIDv7() })).status).toBe(404)
    expect(await post('/v1/loads/preview', { address: 'ftp://x' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('address must be') },
    })
  })
})

describe('POST loads', () => {
  test('202: an uploaded file is loaded; a second file that would change too much is held and applied', async () => {
    await addSource('elm')
    const { status, body } = await post('/v1/loads', {
      ...{ source: 'elm', file: await upload('elm.csv', csvOf(40)), settings: { map }, as_of: '2026-01-31' },
    })
    expect(status).toBe(202)
    await doWork('ingest')
    const first = await workOf(body.work_id)
    expect(first).toMatchObject({
      ...{ kind: 'ingest', status: 'done', source: 'elm', error_message: null },
      result: { status: 'applied', rows: 40, inserted: 40, rejected: 0, step: 'reading' },
    })
    expect(first.done).toBe(first.total)
    expect((await call(`/v1/loads/${first.result.load_id}`)).body).toMatchObject({
      ...{ status: 'applied', file: 'elm.csv', is_complete: true, as_of: '2026-01-31', created_by: 'test-adm' },
    })
    expect((await call('/v1/sources/elm')).body.last_full_scrape_at).not.toBeNull()

    const file = await upload('half.csv', csvOf(20))
    const half = await post('/v1/loads', { source: 'elm', file, settings: { map } })
    await doWork('ingest')
    const { result } = await workOf(half.body.work_id)
    expect(result).toMatchObject({ status: 'held', retired: 20 })
    expect(await listed('elm')).toBe(40)
    expect((await post(`/v1/loads/${result.load_id}/apply`)).status).toBe(202)
    await doWork('load')
    expect(await listed('elm')).toBe(20)
    expect((await post(`/v1/loads/${result.load_id}/undo`)).status).toBe(202)
    await doWork('load')
    expect(await listed('elm')).toBe(40)
  })

  test('a file without a row to load is an error that names the first reason, and changes nothing', async () => {
    await addSource('fir')
    const file = await upload('fir.csv', 'PIN,Owner\n,ADA\n,BO\n')
    const { body } = await post('/v1/loads', { source: 'fir', file, settings: { map } })
    await doWork('ingest')
    expect(await workOf(body.work_id)).toMatchObject({
      ...{ status: 'error', error_code: 'bad_input', result: { rows: 2, rejected: 2 } },
      error_message: expect.stringContaining('2 rows read, and none can be loaded'),
    })
    expect(await listed('fir')).toBe(0)
    const download = await app.handle(
      new Request(`http://localhost/v1/work/${body.work_id}/rejects`, {
        headers: { 'x-service-key': 'test-admin-key-0123456789' },
      }),
    )
    expect(download.headers.get('content-disposition')).toBe(`attachment; filename="rejected-${body.work_id}.csv"`)
    expect(await download.text()).toBe(
      'line,reason,source_parcel_id\r\n2,source_parcel_id is missing,\r\n3,source_parcel_id is missing,\r\n',
    )
    expect((await call(`/v1/work/${body.work_id}/rejects`, { key: await readKey() })).status).toBe(403)
    expect((await call('/v1/work/none/rejects')).status).toBe(404)
  })

  test('text that PostgreSQL cannot store does not fail a load or a preview, and long text is cut', async () => {
    await addSource('nul')
    const feature = (pin: string, type: string, more = '') =>
      `{"type":"Feature","properties":{"PIN":"${pin}"${more}},"geometry":{"type":"${type}","coordinates":[]}}`
    const emoji = `"${'a'.repeat(78)}\\ud83d\\ude00"`
    const features = [
      ...[feature('1', 'Polygon', `,"acreage":${emoji},"a\\u0000b":"\\ud800"`), feature('2', 'A\\u0000B')],
      ...[feature('3', '\\ud800'), feature('4', 'T'.repeat(20_000))],
    ]
    const file = await upload('nul.geojson', `{"type":"FeatureCollection","features":[${features.join()}]}`)
    const preview = (await post('/v1/loads/preview', { file })).body.work_id
    await doWork('preview')
    expect(await workOf(preview)).toMatchObject({ status: 'done', error_message: null })
    const load = (await post('/v1/loads', { source: 'nul', file, settings: { map: { source_parcel_id: 'PIN' } } })).body
    await doWork('ingest')
    const done = await workOf(load.work_id)
    expect(done).toMatchObject({ status: 'done', result: { status: 'applied', inserted: 1, rejected: 3 } })
    expect(JSON.stringify(done.result).length).toBeLessThan(5_000)
    const stored = await sql<{ reason: string }[]>`select reason from work_rejects where work_id = ${load.work_id}`
    expect(stored.map(({ reason }) => reason.slice(0, 24))).toEqual([
      ...['its geometry is a AB: a ', 'its geometry is a \ufffd: a p', 'its geometry is a TTTTTT'],
    ])
    expect(Math.max(...stored.map(({ reason }) => reason.length))).toBe(1_000)

    const layers = { type: 'Topology', arcs: [], objects: { 'a\0b': null, [`c${'d'.repeat(2_000)}`]: null } }
    const topology = await upload('nul.topojson', JSON.stringify(layers))
    const failed = (await post('/v1/loads', { source: 'nul', file: topology, settings: { map } })).body.work_id
    await doWork('ingest')
    const { status, error_message: message } = await workOf(failed)
    expect({ status, message }).toEqual({
      status: 'error',
      message: expect.stringContaining('has several layers: ab, cd'),
    })
    expect(message).toHaveLength(1_000)
  })

  test('409: a second file of the source waits for the first to end; a cancelled one changes nothing', async () => {
    await addSource('ash')
    const file = await upload('ash.csv', csvOf(5))
    const order = { source: 'ash', file, settings: { map } }
    const { body } = await post('/v1/loads', order)
    expect(await post('/v1/loads', order)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining(`already (work ${body.work_id})`) },
    })
    expect((await call(`/v1/work/${body.work_id}`, { method: 'DELETE' })).status).toBe(200)
    await doWork('ingest')
    expect(await listed('ash')).toBe(0)
    expect((await post('/v1/loads', order)).status).toBe(202)
    await doWork('ingest')
    expect(await listed('ash')).toBe(5)
  })

  test('an interrupted attempt starts again from the beginning', async () => {
    await addSource('ivy')
    const { body } = await post('/v1/loads', {
      ...{ source: 'ivy', file: await upload('ivy.csv', csvOf(500)), settings: { map } },
    })
    await doWork('ingest', AbortSignal.abort(new Error('the process stops')))
    expect((await workOf(body.work_id)).status).toBe('queued')
    await doWork('ingest')
    expect(await workOf(body.work_id)).toMatchObject({ status: 'done', attempts: 2 })
    expect(await listed('ivy')).toBe(500)
  })

  test('a load whose process is killed while it writes starts again from the beginning', async () => {
    await addSource('box')
    const file = await upload('box.csv', csvOf(1_500))
    const { body } = await post('/v1/loads', { source: 'box', file, settings: { map } })
    await killWhileItWrites()
    expect(await workOf(body.work_id)).toMatchObject({ status: 'queued', attempts: 1 })
    // The half load is discarded when its lease has ended.
    await sql`update work set lease_expires_at = now() where kind = 'load' and source = 'box' and status = 'running'`
    await doWork('load')
    await doWork('ingest')
    expect(await workOf(body.work_id)).toMatchObject({ status: 'done', attempts: 2 })
    expect(await listed('box')).toBe(1_500)
  })

  test('work whose process is killed while its load is applied names that load, not the one that finds nothing to change', async () => {
    await addSource('fig')
    const order = async (zone: string) => {
      const file = await upload('fig.csv', csvOf(200).replaceAll(',x\n', `,${zone}\n`))
      const settings = { map: { ...map, zoning_code: 'Extra' } }
      return (await post('/v1/loads', { source: 'fig', file, settings })).body.work_id as string
    }
    await order('R-1')
    await doWork('ingest')
    const work = await order('R-2')
    await killWhileItWrites()
    await sql`update work set lease_expires_at = now() where kind = 'load' and source = 'fig' and status = 'running'`
    await doWork('load')
    await doWork('ingest')
    const { attempts, result } = await workOf(work)
    expect({ attempts, result }).toMatchObject({
      attempts: 2,
      result: { status: 'applied', rows: 200, updated: 200 },
    })
    await post(`/v1/loads/${result.load_id}/undo`)
    await doWork('load')
    const [{ zone } = { zone: '' }] = await sql`select distinct zoning_code as zone from parcels where source = 'fig'`
    expect(zone).toBe('R-1')
  })

  test('a source that is retired while its file is fetched stays empty', async () => {
    await addSource('sky')
    const file = await upload('sky.csv', csvOf(5))
    const { body } = await post('/v1/loads', { source: 'sky', file, settings: { map } })
    await sql`update sources set retired_at = now() where source = 'sky'`
    await doWork('ingest')
    expect(await workOf(body.work_id)).toMatchObject({ status: 'error', error_code: 'conflict' })
    expect(await listed('sky')).toBe(0)
  })

  test('400, 403, 404 and 409: each with the reason', async () => {
    const file = await upload('oak.csv', csvOf(1))
    await addSource('yew')
    for (const [body, status, error] of [
      [{ source: 'nowhere', file }, 404, 'unknown source: nowhere'],
      [{ source: 'yew' }, 400, 'file is missing, and yew has no base_url to fetch one from'],
      [{ source: 'yew', file, address }, 400, 'body must have file or address'],
      [{ source: 'yew', file, settings: { map: { owner: 'A' } } }, 400, 'settings.map: unknown field "owner"'],
      [{ source: 'yew', file, as_of: '2026-02-30' }, 400, 'as_of must be a date'],
      [{ source: 'yew', file, as_of: 'soon' }, 400, 'as_of must be a date'],
      [{ source: 'yew', file: 'x' }, 400, 'file must be'],
    ] as const) {
      const answer = await post('/v1/loads', body)
      expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(error)])
    }
    expect((await post('/v1/loads', { source: 'yew', file }, { key: await readKey() })).status).toBe(403)
    await call('/v1/sources/yew', { method: 'DELETE', headers: { 'content-type': 'application/json' } })
    expect(await post('/v1/loads', { source: 'yew', file })).toMatchObject({
      status: 409,
      body: { error: 'yew is retired: restore it first' },
    })
  })
})

describe('a source whose file is at an address', () => {
  const due = async (source: string) => {
    const [policy] = await sql<{ dueAt: Date }[]>`
      update source_refresh_policies set next_due_at = date_trunc('milliseconds', now()) where source = ${source}
      returning next_due_at as "dueAt"`
    const nextDueAt = new Date(Date.now() + 86_400_000)
    await startFileRun(sql, source, { dueAt: policy?.dueAt as Date, nextDueAt })
    const [queued] = await sql<{ id: string }[]>`
      select id from work where kind = 'ingest' and source = ${source} order by id desc limit 1`
    return queued?.id ?? ''
  }

  const fullScrapeOf = async (source: string): Promise<string> =>
    (await call(`/v1/sources/${source}`)).body.last_full_scrape_at

  test('it is loaded when it is due, and not again until it has changed', async () => {
    await addSource('bay', { base_url: address, vendor_config: { map } })
    const first = await due('bay')
    await doWork('ingest')
    expect(await workOf(first)).toMatchObject({
      status: 'done',
      requested_by: null,
      result: { status: 'applied', rows: 30 },
    })
    expect(approached).toEqual(['/parcels.csv'])
    expect(readdirSync(join(workDir, 'downloads')).filter((name) => !name.endsWith('.lock'))).toEqual([])

    const loadedAt = await fullScrapeOf('bay')
    const second = await due('bay')
    await doWork('ingest')
    expect(await workOf(second)).toMatchObject({ status: 'done', result: { status: 'unchanged' } })
    expect(county.requests).toEqual([200, 304])
    // 304 says that the source has not changed since it was loaded, which counts as a complete refresh.
    const confirmedAt = await fullScrapeOf('bay')
    expect(confirmedAt > loadedAt).toBe(true)

    // With other settings, the same file is loaded again.
    await call('/v1/sources/bay', {
      method: 'PATCH',
      body: { vendor_config: { map: { ...map, situs_city: 'Extra' } } },
    })
    const third = await due('bay')
    await doWork('ingest')
    expect((await workOf(third)).result).toMatchObject({ status: 'applied', updated: 30 })
    expect(county.requests).toEqual([200, 304, 200])

    // A load that an admin requests runs even if the file has not changed.
    const ordered = await post('/v1/loads', { source: 'bay' })
    await doWork('ingest')
    expect((await workOf(ordered.body.work_id)).result).toMatchObject({ status: 'applied', unchanged: 30 })
  })

  test('half a file is held, and is not loaded again while it stays the same', async () => {
    Object.assign(county, { etag: '"2"', content: csvOf(10) })
    const before = await fullScrapeOf('bay')
    const held = await due('bay')
    await doWork('ingest')
    expect((await workOf(held)).result).toMatchObject({ status: 'held' })
    const again = await due('bay')
    await doWork('ingest')
    expect((await workOf(again)).result).toMatchObject({ status: 'unchanged' })
    expect(await listed('bay')).toBe(30)
    expect(await fullScrapeOf('bay')).toBe(before)
  })

  test('a failing server is tried again; then the work ends with an error code, which the health of the source shows', async () => {
    Object.assign(county, { status: 503, etag: '"3"' })
    const failed = await due('bay')
    await waitFor(async () => {
      await doWork('ingest')
      return (await workOf(failed)).status === 'error'
    })
    expect(await workOf(failed)).toMatchObject({ error_code: 'network', attempts: 5 })
    const health = (await call('/v1/admin/sources/health')).body.sources
    expect(health.find(({ source }: { source: string }) => source === 'bay')).toMatchObject({ errors_24h: 1 })
    county.status = 200
  })

  test('an address on this machine’s network is refused where private addresses are not allowed', async () => {
    const runner = createIngestRunner({ ...deps, allowPrivateSources: false })
    const refused = await due('bay')
    await takeWork({ sql, runner, log }, { signal: new AbortController().signal })
    expect(await workOf(refused)).toMatchObject({ status: 'error', error_code: 'bad_input' })
  })
})
