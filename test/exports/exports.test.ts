import { Database } from 'bun:sqlite'
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { ANYBODY, type Reads, readPrimary } from '../../core/postgres/replicas/reads'
import { ServiceError } from '../../core/service-error'
import { namingFullDisk } from '../../src/exports/disk-full'
import { createDownloadLinks } from '../../src/exports/download-link'
import { EXPORT_FIELDS } from '../../src/exports/export-columns'
import { createExportStore } from '../../src/exports/export-store'
import { removeExpiredFiles, removeOldWork } from '../../src/exports/sweep-files'
import { writeExport } from '../../src/exports/write-export'
import { issueKey } from '../../src/people/issue-key'
import { createExportRunner } from '../../src/work/export-runner'
import { takeWork } from '../../src/work/take-work'
import { createTestApp } from '../http/test-app'
import { commandOf } from '../runner/programs'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { waitFor } from '../support/servers'
import { startS3Server } from '../tiles-build/s3-server'
import { seedParcels } from './sample-export'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARCELS = 200
const folder = mkdtempSync(join(tmpdir(), 'exports-'))
const s3 = startS3Server()
const store = createExportStore(join(folder, 'exports'))
const { app, sql, url, call, signIn, readKey } = await createTestApp({ exports: { store } })
await seedParcels(sql, PARCELS)
const children: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => child.exited))
  rmSync(folder, { recursive: true })
})

const log = pino({ level: 'silent' })
const createRunner = (maxBytes = 1024 ** 3) =>
  createExportRunner({ databaseUrl: url, log, store, workDir: join(folder, 'work'), maxBytes })
const never = new AbortController().signal
/** Does the next queued export. */
const work = (options: { maxBytes?: number; leaseMs?: number; id?: string } = {}) =>
  takeWork(
    { sql, runner: createRunner(options.maxBytes), log, heartbeatMs: 50, leaseMs: options.leaseMs ?? 60_000 },
    { signal: never, id: options.id ?? null },
  )

const order = async (body: object, key?: string) => {
  const response = await call('/v1/exports', { method: 'POST', body, ...(key === undefined ? {} : { key }) })
  expect(response.status).toBe(202)
  expect(response.headers.get('location')).toBe(`/v1/exports/${response.body.id}`)
  return response.body.id as string
}
const get = async (id: string) => (await call(`/v1/exports/${id}`)).body
const download = (url: string, headers: Record<string, string> = {}) => app.handle(new Request(url, { headers }))
const exportKey = async (capabilities = ['bulk-export']) => (await issueKey(sql, { name: 'exports', capabilities })).key

/** Keeps exports from reading parcels until the returned function is called. */
const holdParcels = async (): Promise<() => Promise<void>> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await tx`lock table parcels in access exclusive mode`
    locked.resolve()
    await promise
  })
  await locked.promise
  return async () => {
    resolve()
    await holding
  }
}

test('a repeated request for an export returns the export of the first one, and its address', async () => {
  const ask = () =>
    call('/v1/exports', { method: 'POST', body: { format: 'csv' }, headers: { 'idempotency-key': 'same-export' } })
  const [first, again] = [await ask(), await ask()]
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('location')).toBe(`/v1/exports/${first.body.id}`)
  await sql`delete from work where id = ${first.body.id}`
})

test('an export is queued, written, and downloaded without a key', async () => {
  await sql`update sources set license = 'CC-BY-4.0', attribution = 'Larkspur County' where source = 'sample-county'`
  const id = await order({
    format: 'ndjson',
    filter: { source: 'sample-county', min_acres: 1 },
    fields: ['owner_name'],
  })
  expect(await get(id)).toMatchObject({ id, status: 'queued', rows: 0, download_url: null, size_bytes: null })
  expect(await work()).toBe(true)
  const done = await get(id)
  const [wanted] = await sql<{ n: number }[]>`
    select count(*)::int as n from parcels where acreage >= 1 and source = 'sample-county'`
  expect(done).toMatchObject({
    ...{ status: 'done', format: 'ndjson', gzip: false, geometry: 'full', fields: ['owner_name'] },
    ...{ filter: { source: 'sample-county', min_acres: 1 }, rows: wanted?.n, total: wanted?.n, error_code: null },
    licenses: [{ license: 'CC-BY-4.0', attribution: 'Larkspur County', sources: ['sample-county'] }],
  })
  expect(done.dataset_version).toBeGreaterThan(0)
  expect(Date.parse(done.expires_at) - Date.parse(done.finished_at)).toBe(7 * 24 * 60 * 60 * 1000)
  const response = await download(done.download_url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  const text = await response.text()
  expect(text.length).toBeGreaterThan(1000)
  expect(Buffer.byteLength(text)).toBe(done.size_bytes)
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows).toHaveLength(wanted?.n ?? 0)
  expect(Object.keys(rows[0])).toEqual(['id', 'source', 'source_parcel_id', 'owner_name', 'geom_geojson'])
  expect((await call('/v1/exports')).body.exports[0]).toMatchObject({ id, status: 'done' })
})

test('an export is stored although its store is not available at first', async () => {
  const id = await order({ format: 'ndjson' })
  let refusals = 0
  const unavailableOnce = {
    ...store,
    put: async (...file: Parameters<typeof store.put>) => {
      if (refusals++ > 0) return store.put(...file)
      throw new ServiceError('server_unavailable', 'the store of exports is not available, try again shortly')
    },
  }
  const runner = createExportRunner({
    ...{ databaseUrl: url, log, store: unavailableOnce },
    ...{ workDir: join(folder, 'work'), maxBytes: 1024 ** 3 },
  })
  expect(await takeWork({ sql, runner, log, leaseMs: 60_000 }, { signal: never, id })).toBe(true)
  expect(await get(id)).toMatchObject({ status: 'done', rows: PARCELS, error_code: null })
  expect(refusals).toBe(2)
})

test('an interrupted download continues with a range, even at a new address', async () => {
  const id = await order({ format: 'geoparquet' })
  await work({ id })
  const { download_url: url, size_bytes: sizeBytes } = await get(id)
  const whole = await (await download(url)).bytes()
  expect(whole).toHaveLength(sizeBytes)
  const first = await download(url, { range: 'bytes=0-999' })
  expect(first.status).toBe(206)
  const etag = first.headers.get('etag') ?? ''
  const again = (await get(id)).download_url
  const rest = await download(again, { range: 'bytes=1000-', 'if-range': etag })
  expect([rest.status, rest.headers.get('content-range')]).toEqual([206, `bytes 1000-${sizeBytes - 1}/${sizeBytes}`])
  expect(Buffer.concat([await first.bytes(), await rest.bytes()]).equals(whole)).toBe(true)
  expect((await download(url, { range: 'bytes=1000-', 'if-range': '"other"' })).status).toBe(200)
  expect((await download(url, { 'if-none-match': etag })).status).toBe(304)
  const beyond = await download(url, { range: `bytes=${sizeBytes}-` })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${sizeBytes}`])
})

test('a changed, foreign or expired link is refused', async () => {
  const [one, other] = [await order({ format: 'csv' }), await order({ format: 'csv', geometry: 'none' })]
  await work({ id: one })
  await work({ id: other })
  const link = new URL((await get(one)).download_url)
  const withParameter = (name: string, value: string) => {
    const changed = new URL(link)
    changed.searchParams.set(name, value)
    return changed.href
  }
  const later = String(Number(link.searchParams.get('expires')) + 1)
  expect((await download(withParameter('expires', later))).status).toBe(403)
  expect((await download(withParameter('signature', 'x'))).status).toBe(403)
  expect((await download(link.href.replace(one, other))).status).toBe(403)
  expect((await download(`${link.origin}${link.pathname}`)).status).toBe(400)
  expect((await download(link.href)).status).toBe(200)
  const file = {
    name: 'x',
    mediaType: 'x',
    sizeBytes: 1,
    sha256: 'x',
    expiresAt: new Date(Date.now() - 1).toISOString(),
  }
  const { query } = await createDownloadLinks(sql).sign(one, file)
  const { expires = '', signature = '' } = Object.fromEntries(new URLSearchParams(query))
  expect(await createDownloadLinks(sql).isValid(one, file, { expires, signature })).toBe(false)
})

test('a link to the earlier file of an export is not valid for its later file', async () => {
  const { sign, isValid } = createDownloadLinks(sql)
  const about = { name: 'x', mediaType: 'x', sizeBytes: 1, expiresAt: new Date(Date.now() + 60_000).toISOString() }
  const [earlier, later] = [
    { ...about, sha256: 'a' },
    { ...about, sha256: 'b' },
  ]
  const id = crypto.randomUUID()
  const { query } = await sign(id, earlier)
  const { expires = '', signature = '' } = Object.fromEntries(new URLSearchParams(query))
  expect(await isValid(id, earlier, { expires, signature })).toBe(true)
  expect(await isValid(id, later, { expires, signature })).toBe(false)
})

test('only admins, keys with bulk-export and people with a paid plan may export', async () => {
  const body = { format: 'ndjson' }
  const post = async (options: object) => (await call('/v1/exports', { method: 'POST', body, ...options })).status
  const refused = await call('/v1/exports', { method: 'POST', body, key: await readKey() })
  expect([refused.status, refused.body]).toEqual([403, { error: 'this key lacks the capability: bulk-export' }])
  expect(await post({ key: await exportKey(['enqueue']) })).toBe(403)
  expect(await post({ key: await exportKey() })).toBe(202)
  const [free, paid] = [await signIn(), await signIn({ plan: 'paid' })]
  expect(await post({ key: null, headers: free.headers })).toBe(403)
  expect(await post({ key: null, headers: paid.headers })).toBe(202)
  const asPerson = (person: typeof paid, body: object) =>
    call('/v1/account/keys', { method: 'POST', key: null, headers: person.headers, body })
  expect((await asPerson(free, { name: 'x', capabilities: ['bulk-export'] })).status).toBe(403)
  const { key } = (await asPerson(paid, { name: 'x', capabilities: ['bulk-export'] })).body
  expect(await post({ key })).toBe(202)
  await sql`update accounts set plan = 'free' where id = ${paid.accountId}`
  expect(await post({ key })).toBe(403)
  expect((await call('/v1/exports', { key: await readKey() })).status).toBe(403)
  while (await work());
})

test('another caller cannot see an export, cancel it or learn its secrets', async () => {
  const [mine, yours] = [await exportKey(), await exportKey()]
  const id = await order({ format: 'ndjson', fields: [] }, mine)
  expect((await call(`/v1/exports/${id}`, { key: mine })).status).toBe(200)
  expect((await call(`/v1/exports/${id}`, { key: yours })).status).toBe(404)
  expect((await call(`/v1/exports/${id}`, { method: 'DELETE', key: yours })).status).toBe(404)
  expect((await call('/v1/exports', { key: yours })).body).toEqual({ count: 0, exports: [], next: null })
  expect((await call('/v1/exports', { key: mine })).body.exports.map((one: { id: string }) => one.id)).toEqual([id])
  expect((await call(`/v1/exports/${id}`, { method: 'DELETE', key: mine })).body).toMatchObject({
    status: 'error',
    error_code: 'cancelled',
  })
  expect((await call(`/v1/exports/${id}`, { method: 'DELETE', key: mine })).status).toBe(404)
  expect((await call('/v1/exports/x')).status).toBe(404)
})

test('400 names what is wrong', async () => {
  const refusal = async (body: object) => {
    const response = await call('/v1/exports', { method: 'POST', body })
    expect(response.status).toBe(400)
    return response.body.error as string
  }
  expect(await refusal({ format: 'ndjson', fields: ['owner_name', 'shoe_size'] })).toStartWith(
    'fields: there is no field "shoe_size"; the fields are lon, lat, acreage,',
  )
  expect(await refusal({ format: 'shapefile' })).toStartWith('format must be one of ')
  expect(await refusal({ format: 'csv', filter: { shoe_size: 4 } })).toStartWith('filter: unknown field "shoe_size"')
  expect(await refusal({ format: 'csv', filter: { min_acres: 3, max_acres: 2 } })).toContain('min_acres')
  expect(await refusal({ format: 'csv', filter: { agricultural: 'yes' } })).toStartWith('filter.agricultural must be')
  expect(await refusal({ format: 'csv', filter: { bbox: '1,2,3' } })).toStartWith('bbox must be')
  expect(await refusal({ format: 'geoparquet', gzip: true })).toStartWith('gzip must be false')
  expect(await refusal({ format: 'geopackage', delivery: 'stream' })).toStartWith('delivery must be file')
  const within = { type: 'Polygon', coordinates: [] }
  expect(await refusal({ format: 'csv', within })).toStartWith('within must be a GeoJSON Polygon')
  expect(await refusal({ format: 'csv', within, filter: { bbox: '1,2,3,4' } })).toStartWith(
    'filter.bbox must be omitted',
  )
  expect(await refusal({ format: 'csv', relation: 'within' })).toBe(
    'relation must be omitted without within: it says how parcels relate to that area',
  )
  expect(await refusal({ format: 'flatgeobuf', geometry: 'none' })).toStartWith('geometry must not be none')
})

test('a running export stops when it is cancelled, and leaves no file', async () => {
  const release = await holdParcels()
  const id = await order({ format: 'geopackage' })
  const taken = work({ id })
  await waitFor(async () => (await get(id)).status === 'running')
  expect((await call(`/v1/exports/${id}`, { method: 'DELETE' })).status).toBe(200)
  await taken
  await release()
  expect(await get(id)).toMatchObject({ status: 'error', error_code: 'cancelled', download_url: null })
  expect(readdirSync(join(folder, 'exports')).filter((name) => name.startsWith(id))).toEqual([])
  expect(readdirSync(join(folder, 'work'))).toEqual([])
})

test('the export of a killed worker starts again from the beginning, and leaves one whole file', async () => {
  const release = await holdParcels()
  const id = await order({ format: 'csv' })
  const startProcess = () => {
    const child = Bun.spawn(commandOf('test/exports/export-process.ts', url, folder), {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(child)
    return child
  }
  const first = startProcess()
  await waitFor(async () => (await get(id)).status === 'running')
  first.kill('SIGKILL')
  await first.exited
  expect(await get(id)).toMatchObject({ download_url: null })
  await release()
  const second = startProcess()
  await waitFor(async () => (await get(id)).status === 'done')
  second.kill('SIGKILL')
  const [row] = await sql<{ attempts: number }[]>`select attempts from work where id = ${id}`
  expect(row?.attempts).toBe(2)
  expect(readdirSync(join(folder, 'exports')).filter((name) => name.startsWith(id))).toEqual([`${id}-2.csv`])
  const { download_url: link, rows } = await get(id)
  const lines = (await (await download(link)).text()).trimEnd().split('\r\n')
  expect([rows, lines.length]).toEqual([PARCELS, PARCELS + 1])
})

test('a worker that lost its export to another one stores nothing that can be downloaded', async () => {
  const release = await holdParcels()
  const id = await order({ format: 'ndjson' })
  const slow = work({ id })
  await waitFor(async () => (await get(id)).status === 'running')
  await sql`update work set attempts = attempts + 1 where id = ${id}`
  await slow
  await release()
  expect(await get(id)).toMatchObject({ status: 'running', download_url: null })
  await sql`update work set lease_expires_at = now() - interval '1 s' where id = ${id}`
  await work({ id })
  expect(await get(id)).toMatchObject({ status: 'done', rows: PARCELS })
})

test('links to the files of an account stop working when the account is removed', async () => {
  const eve = await signIn({ plan: 'paid' })
  const asEve = { key: null, headers: eve.headers }
  const ordered = await call('/v1/exports', { method: 'POST', body: { format: 'csv' }, ...asEve })
  await work({ id: ordered.body.id })
  const { download_url: link } = (await call(`/v1/exports/${ordered.body.id}`, asEve)).body
  expect((await download(link)).status).toBe(200)
  expect((await call(`/v1/admin/accounts/${eve.accountId}`, { method: 'DELETE' })).status).toBe(200)
  expect((await download(link)).status).toBe(404)
  expect(await get(ordered.body.id)).toMatchObject({ status: 'error', error_message: 'its account was removed' })
})

test('a file expires after seven days and is removed', async () => {
  const id = await order({ format: 'ndjson' })
  await work({ id })
  const { download_url: link } = await get(id)
  const name = readdirSync(join(folder, 'exports')).find((file) => file.startsWith(id)) ?? ''
  await sql`update work set started_at = now() - interval '8 days', finished_at = now() - interval '7 days' where id = ${id}`
  expect(await get(id)).toMatchObject({ status: 'done', download_url: null })
  expect((await download(link)).status).toBe(404)
  const day = 24 * 60 * 60 * 1000
  expect(await removeExpiredFiles(store)).toBe(0)
  // The week begins when the export is done, and its file can have been stored some minutes before.
  const before = new Date(Date.now() - 7 * day - 30 * 60_000)
  utimesSync(join(folder, 'exports', name), before, before)
  expect(await removeExpiredFiles(store)).toBe(0)
  const then = new Date(Date.now() - 7.1 * day)
  utimesSync(join(folder, 'exports', name), then, then)
  expect(await removeExpiredFiles(store)).toBe(1)
  expect(existsSync(join(folder, 'exports', name))).toBe(false)
  const workDir = join(folder, 'work')
  mkdirSync(join(workDir, 'left'), { recursive: true })
  await removeOldWork(workDir)
  const left = readdirSync(workDir)
  expect(left).toContain('left')
  const yesterday = new Date(Date.now() - 1.1 * day)
  for (const name of left) utimesSync(join(workDir, name), yesterday, yesterday)
  await removeOldWork(workDir)
  expect(readdirSync(workDir)).toEqual([])
})

test('only files of exports expire, and old folders or other files in the store do not stop the sweep', async () => {
  const place = join(folder, 'shared')
  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
  const expired = ['ndjson', 'csv.gz'].map((extension) => `${crypto.randomUUID()}-1.${extension}`)
  mkdirSync(join(place, 'parcels'), { recursive: true })
  for (const name of [...expired, 'parcels/0123456789abcdef.pmtiles', 'backup.csv'])
    writeFileSync(join(place, name), '')
  for (const name of readdirSync(place)) utimesSync(join(place, name), old, old)
  expect(await removeExpiredFiles(createExportStore(place))).toBe(2)
  expect(readdirSync(place).toSorted()).toEqual(['backup.csv', 'parcels'])
  for (const name of [...expired, 'tiles/parcels/0123456789abcdef.pmtiles'])
    s3.objects.set(`b/${name}`, new Uint8Array())
  const bucket = createExportStore('s3://b', { endpoint: s3.url, accessKeyId: 'id', secretAccessKey: 'secret' })
  expect(await removeExpiredFiles(bucket)).toBe(2)
  expect([...s3.objects.keys()]).toEqual(['b/tiles/parcels/0123456789abcdef.pmtiles'])
})

test('a file that vanishes or cannot be removed does not stop the removal of the others', async () => {
  const place = join(folder, 'vanishing')
  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
  const [vanished, stuck, expired] = Array.from({ length: 3 }, () => `${crypto.randomUUID()}-1.ndjson`)
  mkdirSync(join(place, `${stuck}`), { recursive: true })
  writeFileSync(join(place, `${expired}`), '')
  // Like a file that another process removes between the listing and the look at it.
  symlinkSync(join(place, 'nowhere'), join(place, `${vanished}`))
  for (const name of [stuck, expired]) utimesSync(join(place, `${name}`), old, old)
  await expect(removeExpiredFiles(createExportStore(place))).rejects.toThrow(stuck)
  expect(existsSync(join(place, `${expired}`))).toBe(false)
})

test('listing files leaves a copy that another process is writing, and removes one that was abandoned', async () => {
  const place = join(folder, 'copies')
  mkdirSync(place)
  for (const name of ['.incoming-live', '.incoming-dead']) writeFileSync(join(place, name), '')
  const old = new Date(Date.now() - 2 * 60 * 60 * 1000)
  utimesSync(join(place, '.incoming-dead'), old, old)
  await createExportStore(place).list()
  expect(readdirSync(place)).toEqual(['.incoming-live'])
})

test('an export that does not fit into the store ends with an error and leaves no file', async () => {
  for (const format of ['geoparquet', 'geopackage', 'ndjson']) {
    const id = await order({ format })
    const [used] = await sql<{ bytes: number }[]>`
      select sum((result ->> 'size_bytes')::float8) as bytes from work
      where kind = 'export' and status = 'done' and finished_at > now() - interval '7 days'`
    await work({ id, maxBytes: (used?.bytes ?? 0) + 10_000 })
    expect(await get(id)).toMatchObject({ status: 'error', error_code: 'exports_full', download_url: null })
    expect(readdirSync(join(folder, 'exports')).filter((name) => name.startsWith(id))).toEqual([])
  }
  expect(readdirSync(join(folder, 'work'))).toEqual([])
})

test('all parcels of an export are read from servers that have the version of its beginning', async () => {
  const versions: number[] = []
  const reads: Reads = {
    run: (reader, query) => {
      versions.push(reader.atLeast?.() ?? 0)
      return query(sql, 7)
    },
  }
  const request = { format: 'ndjson', gzip: false, fields: [], geometry: 'none', place: null } as const
  const options = { path: join(folder, 'version.ndjson'), workDir: folder, maxBytes: 1_000_000 }
  const { dataset_version } = await writeExport(reads, ANYBODY, { ...request, filter: LISTED_PARCELS }, options)
  expect(dataset_version).toBe(7)
  expect(versions.length).toBeGreaterThan(1)
  expect(versions).toEqual([0, ...versions.slice(1).map(() => 7)])
})

test('a full disk ends an export with the same error, even while SQLite sorts', async () => {
  const request = {
    format: 'ndjson',
    gzip: false,
    fields: EXPORT_FIELDS,
    geometry: 'full',
    filter: LISTED_PARCELS,
  } as const
  const options = { path: '/dev/full', workDir: folder, maxBytes: 1024 ** 3 }
  await expect(writeExport(readPrimary(sql), ANYBODY, { ...request, place: null }, options)).rejects.toMatchObject({
    code: 'exports_full',
  })

  using file = new Database(join(folder, 'full.sqlite'))
  file.run('pragma max_page_count = 4')
  file.run('create table rows (row text)')
  const fill = async () => file.run('insert into rows values (?)', ['x'.repeat(100_000)])
  await expect(namingFullDisk(fill)).rejects.toMatchObject({ code: 'exports_full' })
  const fail = () => Promise.reject(new Error('something else'))
  await expect(namingFullDisk(fail)).rejects.toThrow('something else')
})

test('requests at the same moment do not exceed the limit of open exports', async () => {
  const key = await exportKey()
  const post = () => call('/v1/exports', { method: 'POST', body: { format: 'ndjson' }, key })
  const answers = await Promise.all(Array.from({ length: 15 }, post))
  const accepted = answers.filter(({ status }) => status === 202)
  expect(accepted).toHaveLength(10)
  for (const { body } of accepted) await call(`/v1/exports/${body.id}`, { method: 'DELETE', key })
})

test('exports of a caller run one after the other, and at most ten wait', async () => {
  const key = await exportKey()
  const ids: string[] = []
  for (let n = 0; n < 10; n++) ids.push(await order({ format: 'ndjson', fields: [] }, key))
  const refused = await call('/v1/exports', { method: 'POST', body: { format: 'ndjson' }, key })
  expect([refused.status, refused.body.error]).toEqual([
    409,
    '10 exports of this key or account are queued or running: wait for one, or cancel one',
  ])
  const other = await order({ format: 'ndjson', fields: [] }, await exportKey())
  const release = await holdParcels()
  const [first, second] = [work(), work()]
  await waitFor(async () => (await get(ids[0] as string)).status === 'running')
  await waitFor(async () => (await get(other)).status === 'running')
  expect((await get(ids[1] as string)).status).toBe('queued')
  await release()
  await Promise.all([first, second])
  while (await work());
  for (const id of ids) expect((await get(id)).status).toBe('done')
})

test('callers take turns: the first export of one comes before the second of another', async () => {
  const [busy, other] = [await exportKey(), await exportKey()]
  const small = { format: 'ndjson', fields: [], geometry: 'none' }
  const [first, second, third] = [await order(small, busy), await order(small, busy), await order(small, busy)]
  const late = await order(small, other)
  while (await work());
  const rows = await sql<{ id: string }[]>`
    select id from work where id = any(${[first, second, third, late]}::uuid[]) order by finished_at`
  expect(rows.map(({ id }) => id)).toEqual([first, late, second, third])
})

test('gzip compresses a text format', async () => {
  const id = await order({ format: 'geojsonseq', gzip: true })
  await work({ id })
  const response = await download((await get(id)).download_url)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  const text = new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()))
  expect(text.split('\x1e')).toHaveLength(PARCELS + 1)
})

const stream = (body: object, key?: string) =>
  call('/v1/exports', { method: 'POST', body: { delivery: 'stream', ...body }, ...(key === undefined ? {} : { key }) })

test('an export of an area has the parcels that POST /v1/parcels/within lists, as a file and as a stream', async () => {
  const [box] = await sql<{ west: number; south: number; east: number; north: number }[]>`
    select min((bbox[1])[0]) as west, min((bbox[1])[1]) as south, max((bbox[0])[0]) as east, max((bbox[0])[1]) as north
    from parcels where source_parcel_id like '12-%'`
  const { west = 0, south = 0, east = 0, north = 0 } = box ?? {}
  const corners = [
    [west, south],
    [east, south],
    [west, north],
    [west, south],
  ]
  const within = { type: 'Polygon', coordinates: [corners] }
  const read = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id as string)
  for (const relation of ['intersects', 'within']) {
    const listed = await call(`/v1/parcels/within?relation=${relation}&min_acres=1`, { method: 'POST', body: within })
    const wanted = (listed.body.parcels as { id: string }[]).map(({ id }) => id).sort()
    expect(wanted.length).toBeGreaterThan(5)
    expect(wanted.length).toBeLessThan(PARCELS)
    const body = { format: 'ndjson', within, relation, filter: { min_acres: 1 }, fields: ['owner_name'] }
    expect(read((await stream(body)).text).sort()).toEqual(wanted)
    const id = await order(body)
    await work({ id })
    const done = await get(id)
    expect(done).toMatchObject({ status: 'done', relation, rows: wanted.length, total: wanted.length })
    expect(done.area_bbox).toEqual([west, south, east, north])
    expect(read(await (await download(done.download_url)).text()).sort()).toEqual(wanted)
  }
})

test('a streamed export has every row of the file', async () => {
  const { status, headers, text } = await stream({ format: 'ndjson', filter: { state: 'or' }, geometry: 'none' })
  expect(status).toBe(200)
  expect(headers.get('x-dataset-version')).toMatch(/^\d+$/)
  expect(headers.get('content-disposition')).toBe('attachment; filename="parcels.ndjson"')
  expect(text.trimEnd().split('\n')).toHaveLength(PARCELS)
  expect((await stream({ format: 'csv' })).text.trimEnd().split('\r\n')).toHaveLength(PARCELS + 1)
  const refused = await stream({ format: 'csv', filter: { min_acres: 1 } })
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('needs a narrower filter')])
})

test('a client that stops reading a stream is disconnected, and keeps no transaction open until then', async () => {
  await sql`
    insert into parcels (source, source_parcel_id) select 'sample-county', 'many ' || n from generate_series(1, 5000) n`
  const hasty = await createTestApp({ database: { url, sql }, exports: { store, stallMs: 100 } })
  const server = Bun.serve({ port: 0, fetch: (request) => app.handle(request), idleTimeout: 60 })
  const key = await exportKey()
  const requestTo = (origin: string) =>
    new Request(`${origin}/v1/exports`, {
      method: 'POST',
      headers: { 'x-service-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'ndjson', delivery: 'stream' }),
    })
  const ask = (service: typeof app): Promise<Response> => service.handle(requestTo('http://localhost'))
  const readerOf = (response: Response) => (response.body as ReadableStream<Uint8Array>).getReader()
  try {
    const open = () => fetch(requestTo(`http://localhost:${server.port}`))
    // This service waits for its readers much longer than these requests take.
    const reader = readerOf(await ask(app))
    await reader.read()
    const second = await open()
    expect(second.status).toBe(429)
    const [sessions] = await sql<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`
    expect(sessions?.n).toBe(0)
    await reader.cancel()
    const stalled = readerOf(await ask(hasty.app))
    await stalled.read()
    await waitFor(async () => {
      const next = await ask(hasty.app)
      await next.body?.cancel()
      return next.status === 200
    })
    await expect(stalled.read()).rejects.toThrow('the reader took nothing')
    const whole = await waitForStream(open)
    expect((await whole.text()).trimEnd().split('\n')).toHaveLength(PARCELS + 5000)
  } finally {
    await server.stop(true)
    await sql`delete from parcels where source_parcel_id like 'many %'`
  }
})

const waitForStream = async (open: () => Promise<Response>): Promise<Response> => {
  for (;;) {
    const response = await open()
    if (response.status !== 429) return response
    await response.body?.cancel()
    await Bun.sleep(20)
  }
}
