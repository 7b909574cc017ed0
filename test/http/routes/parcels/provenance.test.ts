import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { version } from '../../../../package.json' with { type: 'json' }
import { storeScrape } from '../../../../src/scrape/store/store-scrape'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call, readKey } = await createTestApp()
await insertCounty(sql)

interface Origin {
  field: string
  value: unknown
  observed_at: string | null
  origin: string
  job_id: string | null
  cause_id: string | null
  line: number | null
  place: string | null
  page: string | null
  page_hash: string | null
  page_at: string | null
  adapter: string | null
  version: string | null
}
const originsOf = async (id: string): Promise<Record<string, Origin>> => {
  const { status, body } = await call(`/v1/parcels/elm/${id}/provenance`)
  expect(status).toBe(200)
  return Object.fromEntries(body.fields.map((origin: Origin) => [origin.field, origin]))
}
const LOAD = '00000000-0000-7000-8000-000000000001'
const ingest = (id: string, fields: object, line = 2) =>
  upsertParcels(sql, 'elm', [{ sourceParcelId: id, origin: { line }, ...fields }], { cause: 'ingest', id: LOAD })
const PAGE = 'https://elm.example/parcels/2'
const lastChangeOf = async (id: string) =>
  (
    await sql<{ at: string }[]>`
      select iso_utc(at) as at from parcel_changes where source_parcel_id = ${id} order by version desc limit 1`
  )[0]?.at ?? ''
/** Scrapes a parcel by a job and returns the job's id. */
const scrape = async (
  id: string,
  fields: object,
  more: { fetched_at: string; [field: string]: unknown },
): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, attempts, started_at)
    values ('elm', ${id}, 'arcgis-rest', 'running', 1, now()) returning id`
  const jobId = row?.id ?? ''
  const outcome = await storeScrape(sql, {
    ...{ job: { id: jobId, attempt: 1 }, source: 'elm', sourceParcelId: id, vendor: 'arcgis-rest' },
    scraped: { fields, scrape: { parcel_number: id, ...more }, page: PAGE },
    review: () => [
      {
        rule: 'r',
        subject: '',
        severity: 'low' as const,
        category: 'tax' as const,
        evidence: {},
        suggestedAction: 'Look.',
      },
    ],
  })
  expect(outcome).toBe('stored')
  return jobId
}
const [MONDAY, TUESDAY] = ['2026-03-02T03:04:05.000Z', '2026-03-03T03:04:05.000Z']
const GEOM = {
  type: 'MultiPolygon' as const,
  coordinates: [
    [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  ],
}

describe('200', () => {
  test('a parcel that was only ingested: each field is from the load and line that changed it last', async () => {
    await ingest('1', { ownerName: 'ADA', acreage: 2, geom: GEOM, bbox: [0, 0, 1, 1] })
    const first = await originsOf('1')
    const created = await lastChangeOf('1')
    expect(first.owner_name).toEqual({
      field: 'owner_name',
      value: 'ADA',
      observed_at: created,
      origin: 'ingest',
      job_id: null,
      cause_id: LOAD,
      line: 2,
      place: null,
      page: null,
      page_hash: null,
      page_at: null,
      adapter: null,
      version: null,
    })
    expect(Object.keys(first).sort()).toEqual(['acreage', 'geom_geojson', 'owner_name', 'owner_names_all'])
    expect(first.geom_geojson).toMatchObject({ value: null, origin: 'ingest', observed_at: created })
    await ingest('1', { ownerName: 'BO' }, 7)
    const second = await originsOf('1')
    expect(second.acreage).toMatchObject({ origin: 'ingest', observed_at: created, line: 2 })
    expect(second.owner_name).toMatchObject({ value: 'BO', observed_at: await lastChangeOf('1'), line: 7 })
  })

  test('a parcel that was scraped twice: each field is from the scrape that changed it last, with its job and page', async () => {
    const first = await scrape(
      '2',
      { ownerName: 'ADA', situsCity: 'ELM' },
      { fetched_at: MONDAY, owners: [{ name: 'ADA' }], exemptions: [] },
    )
    const second = await scrape('2', { ownerName: 'BO' }, { fetched_at: TUESDAY, owners: [{ name: 'BO' }] })
    const origins = await originsOf('2')
    const told = (field: string) => [origins[field]?.origin, origins[field]?.job_id]
    expect(told('owner_name')).toEqual(['scrape', second])
    expect(told('owner_names_all')).toEqual(['scrape', second])
    expect(told('situs_city')).toEqual(['scrape', first])
    expect(told('scrape_data.owners')).toEqual(['scrape', second])
    expect(told('scrape_data.exemptions')).toEqual(['scrape', first])
    expect(told('scrape_data.fetched_at')).toEqual(['scrape', null])
    expect(origins.owner_name).toMatchObject({ page: PAGE, adapter: 'arcgis-rest', version, line: null })
    expect(origins['scrape_data.owners']).toMatchObject({
      value: [{ name: 'BO' }],
      observed_at: await lastChangeOf('2'),
      page: PAGE,
    })
    expect(origins['scrape_data.review_findings']).toMatchObject({ origin: 'review', job_id: first })
  })

  test('ingested, scraped, ingested again: fields that the second ingest changed are from it, the others from the scrape', async () => {
    await ingest('3', { ownerName: 'ADA', acreage: 2, assessedValue: 10 })
    const job = await scrape('3', { ownerName: 'BO', assessedValue: 20 }, { fetched_at: MONDAY })
    await ingest('3', { ownerName: 'CY' }, 9)
    const origins = await originsOf('3')
    expect(origins.acreage).toMatchObject({ origin: 'ingest', line: 2 })
    expect(origins.owner_name).toMatchObject({ value: 'CY', origin: 'ingest', line: 9, job_id: null })
    expect(origins.assessed_value).toMatchObject({ value: 20, origin: 'scrape', job_id: job })
  })

  test('a value that is older than the change log: the origin is reported as unknown', async () => {
    await ingest('4', { ownerName: 'ADA', acreage: 2 })
    await sql`update parcel_changes set cause = null, cause_id = null, origin = null where source_parcel_id = '4'`
    const unknown = { origin: 'unknown', observed_at: null, cause_id: null }
    expect((await originsOf('4')).owner_name).toMatchObject(unknown)
    const job = await scrape('4', { ownerName: 'BO' }, { fetched_at: TUESDAY })
    const after = await originsOf('4')
    expect(after.owner_name).toMatchObject({ origin: 'scrape', job_id: job })
    expect(after.acreage).toMatchObject(unknown)
  })

  test('a value that an operator set in the database is from an operator', async () => {
    await ingest('5', { ownerName: 'ADA' })
    await sql`update parcels set owner_name = 'BO' where source_parcel_id = '5'`
    expect((await originsOf('5')).owner_name).toMatchObject({ origin: 'operator', cause_id: null, line: null })
  })

  test('200 for every key', async () => {
    expect((await call('/v1/parcels/elm/1/provenance', { key: await readKey() })).status).toBe(200)
  })
})

test('404: an unknown parcel; a parcel may have the id `provenance`', async () => {
  expect(await call('/v1/parcels/elm/none/provenance')).toMatchObject({ status: 404, body: { error: 'not found' } })
  await ingest('provenance', { ownerName: 'ADA' })
  expect((await call('/v1/parcels/elm/provenance')).body).toMatchObject({ owner_name: 'ADA' })
})
