import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { createLoadRunner } from '../../../../src/work/load-runner'
import { takeWork } from '../../../../src/work/take-work'
import { enqueue } from '../../../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { createTestApp, insertCounty } from '../../test-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, call, readKey } = await createTestApp()
const log = pino({ level: 'silent' })
const json = { 'content-type': 'application/json' }
const post = (path: string, body?: unknown, options: { key?: string; headers?: Record<string, string> } = {}) =>
  call(path, { method: 'POST', ...(body === undefined ? {} : { body }), ...options })
const patch = (source: string, body: unknown) => call(`/v1/sources/${source}`, { method: 'PATCH', body })
const remove = (source: string, key?: string) =>
  call(`/v1/sources/${source}`, { method: 'DELETE', headers: json, ...(key === undefined ? {} : { key }) })
const restore = (source: string) => post(`/v1/sources/${source}/restore`)
/** Runs the queued work on loads, as a worker does. */
const doWork = () => takeWork({ sql, runner: createLoadRunner({ log }), log }, { signal: new AbortController().signal })

const insertParcels = async (source: string, count: number) => {
  await insertCounty(sql, source)
  const rows = Array.from({ length: count }, (_, index) => ({ sourceParcelId: `${index}`, ownerName: 'ADA ELM' }))
  await upsertParcels(sql, source, rows, { cause: 'ingest', id: Bun.randomUUIDv7() }, [])
}
const listed = async (source: string) =>
  (await sql`select count(*)::int as n from live_parcels where source = ${source}`)[0]?.n
const slugs = async (query = '') =>
  (await call(`/v1/sources${query}`)).body.sources.map(({ source }: { source: string }) => source)

const larkspur = { source: 'or-larkspur', state: 'OR', county_name: 'Larkspur', vendor: 'file' }

describe('POST sources', () => {
  test('201: an inactive source, due in a year', async () => {
    const { status, body } = await post('/v1/sources', { ...larkspur, license: 'CC-BY-4.0' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...{ ...larkspur, base_url: '', active: false, cadence: 'annual', license: 'CC-BY-4.0', attribution: null },
      ...{ vendor_config: {}, retired_at: null },
    })
    expect((await call('/v1/sources/or-larkspur')).body).toMatchObject({
      vendor_grade: null,
      vendor_config_schema: { type: 'object' },
      can_crawl: false,
    })
  })

  test('201: a source of a portal; a repeated request with the same Idempotency-Key adds it once', async () => {
    const ash = { ...larkspur, source: 'or-ash', vendor: 'arcgis-rest', base_url: 'https://gis.ash.example/0' }
    const headers = { 'idempotency-key': 'add-ash' }
    expect((await post('/v1/sources', ash, { headers })).status).toBe(201)
    const again = await post('/v1/sources', ash, { headers })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  })

  test('409: the slug is taken', async () => {
    expect(await post('/v1/sources', larkspur)).toMatchObject({
      status: 409,
      body: { error: 'source: or-larkspur is taken' },
    })
  })

  test('400: each wrong field is named, and nothing is added', async () => {
    const before = await slugs()
    for (const [wrong, error] of [
      [{ source: 'Or Larkspur' }, 'source must be a slug of 1 to 100 characters'],
      [{ source: '../x' }, 'source must be a slug'],
      [{ source: '-x' }, 'source must be a slug'],
      [{ source: 'x'.repeat(101) }, 'source must be a slug'],
      [{ source: 'größe' }, 'source must be a slug'],
      [{ state: 'XX' }, 'state must be the 2-letter code of a US state'],
      [{ county_name: ' ' }, 'county_name must be a text of 1 to 100 characters'],
      [{ vendor: 'nobody' }, 'vendor must be one of file, arcgis-rest'],
      [{ vendor: 'arcgis-rest' }, 'base_url must be an http or https URL'],
      [{ base_url: 'http://county.example/p.zip' }, 'base_url must be the https URL of the file, or empty'],
      [{ base_url: 'https://10.0.0.1/p.zip' }, 'base_url: 10.0.0.1 is not allowed'],
      [{ base_url: 'https://localhost/p.zip' }, 'base_url: localhost is not allowed'],
      [{ base_url: 'https://ada:pw@county.example/p.zip' }, 'base_url: the URL of county.example has a user'],
      [{ base_url: 'javascript:alert(1)' }, 'base_url must be the https URL'],
      [{ vendor_config: { maps: {} } }, 'vendor_config: unknown field "maps"; known are map, complete'],
      [{ vendor_config: { map: { owner: 'A' } } }, 'vendor_config.map: unknown field "owner"'],
      [{ vendor_config: { map: { owner_name: 'A +' } } }, 'vendor_config.map: the field map'],
      [{ vendor_config: { sum: ['acreage'] } }, 'vendor_config.sum needs duplicates: merge'],
      [{ active: true }, 'unknown field "active"'],
    ] as const) {
      const { status, body } = await post('/v1/sources', { ...larkspur, source: 'or-new', ...wrong })
      expect([status, body.error]).toEqual([400, expect.stringContaining(error)])
    }
    expect(await slugs()).toEqual(before)
  })

  test('403: a key that is not an admin’s', async () => {
    expect((await post('/v1/sources', larkspur, { key: await readKey() })).status).toBe(403)
    expect((await remove('or-larkspur', await readKey())).status).toBe(403)
  })
})

describe('PATCH a source: its address, county and vendor', () => {
  test('200: address, county and state change; a search finds its parcels under the new county', async () => {
    await insertParcels('elm', 1)
    await sql`delete from search_outbox`
    const change = { base_url: 'https://new.elm.example/0', county_name: 'New Elm', state: 'WA' }
    expect(await patch('elm', change)).toMatchObject({ status: 200, body: change })
    expect([...(await sql`select kind from search_outbox`)]).toEqual([{ kind: 'parcel' }])
  })

  test('400: a vendor whose settings do not fit; with fitting settings it changes', async () => {
    await insertCounty(sql, 'fir')
    expect(await patch('fir', { vendor: 'pacs-property-access' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('vendor_config: unknown field "columns"') },
    })
    await enqueue(sql, 'fir', ['1'])
    const other = { vendor: 'pacs-property-access', vendor_config: { cid: 7 } }
    expect(await patch('fir', other)).toMatchObject({ status: 200, body: other })
    expect([...(await sql`select status, error_message from scrape_jobs where source = 'fir'`)]).toEqual([
      { status: 'error', error_message: 'cancelled: the source has another vendor' },
    ])
    const file = { vendor: 'file', vendor_config: {}, base_url: '' }
    expect(await patch('fir', file)).toMatchObject({ status: 200, body: file })
    expect(await patch('fir', { base_url: 'ftp://elm.example/x' })).toMatchObject({
      status: 400,
      body: { error: 'base_url must be the https URL of the file, or empty' },
    })
  })

  test('400: a source of files cannot be activated without the URL of its file', async () => {
    expect(await patch('or-larkspur', { active: true })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('base_url is missing') },
    })
    const change = { active: true, base_url: 'https://county.example/parcels.zip' }
    expect((await patch('or-larkspur', change)).body).toMatchObject(change)
    await patch('or-larkspur', { active: false, base_url: '' })
  })

  test('409: parcels of a source of files cannot be scraped', async () => {
    const conflict = { status: 409, body: { error: 'or-larkspur has no portal: its parcels come from files' } }
    const job = { source: 'or-larkspur', source_parcel_id: '1' }
    expect(await post('/v1/scrape-jobs', job)).toMatchObject(conflict)
    expect(await post('/v1/scrape-jobs/enqueue-ag-county', { source: 'or-larkspur' })).toMatchObject(conflict)
    expect(await post('/v1/parcels/or-larkspur/1/scrape-now', {})).toMatchObject(conflict)
    // An unknown source anywhere in an array is 404.
    const unknown = { status: 404, body: { error: 'unknown source: zzz' } }
    expect(await post('/v1/scrape-jobs', [job, { ...job, source: 'zzz' }])).toMatchObject(unknown)
  })
})

describe('DELETE a source', () => {
  test('200: it leaves the lists, its jobs are cancelled, a worker retires its parcels, and a restore brings them back', async () => {
    await insertParcels('oak', 1_200)
    await patch('oak', { active: true })
    await enqueue(sql, 'oak', ['1', '2'])
    await sql`update source_refresh_policies set run_started_at = now() where source = 'oak'`
    const { status, body } = await remove('oak')
    expect([status, body.source]).toEqual([200, 'oak'])
    expect(await slugs()).not.toContain('oak')
    expect(await slugs('?retired=true')).toEqual(['oak'])
    expect((await call('/v1/sources/oak')).body).toMatchObject({
      active: false,
      retired_at: expect.stringMatching(/^20/),
    })
    const health = (await call('/v1/admin/sources/health')).body.sources
    expect(health.map(({ source }: { source: string }) => source)).not.toContain('oak')
    expect([...(await sql`select distinct status, error_code from scrape_jobs where source = 'oak'`)]).toEqual([
      { status: 'error', error_code: 'cancelled' },
    ])
    expect([...(await sql`select run_started_at from source_refresh_policies where source = 'oak'`)]).toEqual([
      { run_started_at: null },
    ])

    const again = await remove('oak')
    expect([again.status, again.body]).toEqual([200, { source: 'oak', load_id: body.load_id, work_id: null }])
    expect(await restore('oak')).toMatchObject({ status: 409 })

    await doWork()
    expect((await call(`/v1/work/${body.work_id}`)).body).toMatchObject({ status: 'done', source: 'oak' })
    expect(await listed('oak')).toBe(0)
    expect((await call(`/v1/loads/${body.load_id}`)).body).toMatchObject({
      status: 'applied',
      counts: { retired: 1_200 },
      note: expect.stringContaining('retired by'),
    })
    expect((await call('/v1/parcels/oak/1')).body).toMatchObject({ retired_at: expect.stringMatching(/^20/) })

    const restored = await restore('oak')
    expect(restored).toMatchObject({ status: 200, body: { source: 'oak', load_id: body.load_id } })
    await doWork()
    expect(await listed('oak')).toBe(1_200)
    expect(await slugs()).toContain('oak')
    expect((await call('/v1/sources/oak')).body).toMatchObject({ active: false, retired_at: null })
    expect((await restore('oak')).body).toEqual({ source: 'oak', load_id: null, work_id: null })
  })

  test('409: a retired source takes no change, job, crawl or new source of its name', async () => {
    await insertCounty(sql, 'yew')
    const job = (await enqueue(sql, 'yew', ['1']))[0]
    expect((await remove('yew')).body).toEqual({ source: 'yew', load_id: null, work_id: null })
    const retired = { status: 409, body: { error: 'yew is retired: restore it first' } }
    expect(await patch('yew', { active: true })).toMatchObject(retired)
    expect(await post('/v1/admin/sources/yew/crawls')).toMatchObject(retired)
    const scrape = { status: 409, body: { error: 'yew is retired' } }
    expect(await post('/v1/scrape-jobs', { source: 'yew', source_parcel_id: '1' })).toMatchObject(scrape)
    expect(await post(`/v1/scrape-jobs/${job}/retry`)).toMatchObject(scrape)
    expect(await post('/v1/sources', { ...larkspur, source: 'yew' })).toMatchObject({
      status: 409,
      body: { error: 'source: yew is taken by a retired source, which you can restore' },
    })
    expect((await restore('yew')).body).toEqual({ source: 'yew', load_id: null, work_id: null })
    expect((await patch('yew', { active: true })).status).toBe(200)
  })

  test('409: nothing of a retired source is undone, neither its retirement nor an older load, and a restore brings back its parcels', async () => {
    await insertParcels('elder', 2)
    const { load_id, work_id } = (await remove('elder')).body
    expect([await doWork(), (await call(`/v1/work/${work_id}`)).body.status, await listed('elder')]).toEqual([
      true,
      'done',
      0,
    ])
    const [older] = await sql`select cause_id from parcel_changes where source = 'elder' order by version limit 1`
    for (const id of [load_id, older?.cause_id]) {
      expect(await post(`/v1/loads/${id}/undo`)).toMatchObject({
        status: 409,
        body: { error: 'elder is retired: restore it first' },
      })
    }
    await restore('elder')
    expect([await doWork(), await listed('elder')]).toEqual([true, 2])
  })

  test('409: a load of the source is running; 404: an unknown source', async () => {
    await insertCounty(sql, 'ivy')
    await sql`
      insert into work (kind, subject, source, status, attempts, lease_expires_at)
      values ('load', 'ivy', 'ivy', 'running', 1, now() + interval '1 minute')`
    expect(await remove('ivy')).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('another load of ivy is running') },
    })
    expect(await slugs()).toContain('ivy')
    expect((await remove('nowhere')).status).toBe(404)
    expect((await restore('nowhere')).status).toBe(404)
  })
})
