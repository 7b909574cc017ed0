import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { storeScrape } from '../../../src/scrape/store/store-scrape'
import { createTestApp, insertCounty } from '../test-app'

const { sql, call, readKey } = await createTestApp()
await insertCounty(sql)

interface Origin {
  field: string
  value: unknown
  observed_at: string | null
  origin: string
  job_id: string | null
}
const originsOf = async (id: string): Promise<Record<string, Origin>> => {
  const { status, body } = await call(`/v1/parcels/elm/${id}/provenance`)
  expect(status).toBe(200)
  return Object.fromEntries(body.fields.map((origin: Origin) => [origin.field, origin]))
}
const ingest = (id: string, fields: object) => upsertParcels(sql, 'elm', [{ sourceParcelId: id, ...fields }])
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
    scraped: { fields, scrape: { parcel_number: id, ...more } },
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
  test('a parcel that was only ingested: every field is from the ingest; its time is known until a field changes', async () => {
    await ingest('1', { ownerName: 'ADA', acreage: 2, geom: GEOM, bbox: [0, 0, 1, 1] })
    const first = await originsOf('1')
    const { body } = await call('/v1/parcels/elm/1')
    expect(first.owner_name).toEqual({
      field: 'owner_name',
      value: 'ADA',
      observed_at: body.ingested_at,
      origin: 'ingest',
      job_id: null,
    })
    expect(Object.keys(first).sort()).toEqual(['acreage', 'geom_geojson', 'owner_name', 'owner_names_all'])
    expect(first.geom_geojson).toMatchObject({ value: null, origin: 'ingest' })
    await ingest('1', { ownerName: 'BO' })
    expect((await originsOf('1')).acreage).toMatchObject({ origin: 'ingest', observed_at: null })
  })

  test('a parcel that was scraped twice: each field is from the last scrape that set it, with its job', async () => {
    const first = await scrape(
      '2',
      { ownerName: 'ADA', situsCity: 'ELM' },
      { fetched_at: MONDAY, owners: [{ name: 'ADA' }], exemptions: [] },
    )
    const second = await scrape('2', { ownerName: 'ADA' }, { fetched_at: TUESDAY, owners: [{ name: 'ADA' }] })
    const origins = await originsOf('2')
    const told = (field: string) => [origins[field]?.origin, origins[field]?.observed_at, origins[field]?.job_id]
    expect(told('owner_name')).toEqual(['scrape', TUESDAY, second])
    expect(told('owner_names_all')).toEqual(['scrape', TUESDAY, second])
    expect(told('situs_city')).toEqual(['scrape', MONDAY, first])
    expect(told('scrape_data.owners')).toEqual(['scrape', TUESDAY, second])
    expect(told('scrape_data.exemptions')).toEqual(['scrape', MONDAY, first])
    expect(origins['scrape_data.review_findings']).toMatchObject({ origin: 'review', job_id: second })
    expect(origins['scrape_data.owners']?.value).toEqual([{ name: 'ADA' }])
  })

  test('ingested, scraped, ingested again: fields that the second ingest changed are from it, the others from the scrape', async () => {
    await ingest('3', { ownerName: 'ADA', acreage: 2, assessedValue: 10 })
    await scrape('3', { ownerName: 'BO', assessedValue: 20 }, { fetched_at: MONDAY })
    await ingest('3', { ownerName: 'CY' })
    const origins = await originsOf('3')
    expect(origins.acreage).toMatchObject({ origin: 'ingest', observed_at: null })
    expect(origins.owner_name).toMatchObject({ value: 'CY', origin: 'ingest', observed_at: null, job_id: null })
    expect(origins.assessed_value).toMatchObject({ value: 20, origin: 'scrape', observed_at: MONDAY })
  })

  test('scraped before origins were recorded: the origin is reported as unknown', async () => {
    await ingest('4', { ownerName: 'ADA', acreage: 2 })
    const sales = { sale_history: [], sale_history_observed_at: MONDAY }
    await sql`
      update parcels set scraped_at = ${TUESDAY}, scrape_data = ${sql.json({ parcel_number: '4', fetched_at: TUESDAY, ...sales })}
      where source_parcel_id = '4'`
    const before = await originsOf('4')
    expect(before.owner_name).toMatchObject({ origin: 'unknown', observed_at: null })
    expect(before['scrape_data.sale_history']).toMatchObject({ origin: 'scrape', observed_at: MONDAY })
    expect(before['scrape_data.parcel_number']).toMatchObject({ origin: 'scrape', observed_at: null })
    const job = await scrape('4', { ownerName: 'BO' }, { fetched_at: TUESDAY })
    const after = await originsOf('4')
    expect(after.owner_name).toMatchObject({ origin: 'scrape', observed_at: TUESDAY, job_id: job })
    expect(after.acreage).toMatchObject({ origin: 'unknown' })
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
