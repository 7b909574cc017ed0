import { expect, test } from 'bun:test'
import { upsertParcels } from '../../drizzle/queries/upsert-parcels'
import { createTestApp, insertCounty } from './test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)
await upsertParcels(sql, 'elm', [{ sourceParcelId: '1' }, { sourceParcelId: '2' }])
await sql`
  insert into findings (parcel_id, rule, severity, category, evidence, suggested_action, generated_at)
  select id, 'owner-changed', 'medium', 'ownership', '{"before": "Ada Elm"}', 'Compare the deed.', '2026-01-02T03:04:05.678Z'
  from parcels where source_parcel_id = '1'`

test('200: the findings of a parcel', async () => {
  expect((await call('/v1/findings/elm/1')).body).toEqual({
    count: 1,
    findings: [
      {
        id: expect.any(String),
        severity: 'medium',
        category: 'ownership',
        evidence: { before: 'Ada Elm' },
        suggested_action: 'Compare the deed.',
        generated_at: '2026-01-02T03:04:05.678Z',
      },
    ],
  })
})

test('200: none', async () => {
  expect((await call('/v1/findings/elm/2')).body).toEqual({ count: 0, findings: [] })
})

test('404: an unknown parcel', async () => {
  expect(await call('/v1/findings/elm/3')).toMatchObject({ status: 404, body: { error: 'not found' } })
})
