import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp, insertCounty } from '../test-app'

const { sql, call, readKey } = await createTestApp()
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

describe('findings of all parcels', () => {
  const idsOf = async (path: string) => {
    const { body } = await call(path)
    return {
      ids: body.findings.map(({ source_parcel_id }: { source_parcel_id: string }) => source_parcel_id),
      next: body.next,
    }
  }
  test('200: newest first, each with its parcel; filters narrow the list', async () => {
    await sql`
      insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
      select id, 'unpaid-statement', 'high', 'tax', '{"due": 12}', 'Look at the bill.'
      from parcels where source_parcel_id = '2'`
    const { body } = await call('/v1/admin/findings')
    expect(body.findings[0]).toEqual({
      id: expect.any(String),
      severity: 'high',
      category: 'tax',
      evidence: { due: 12 },
      suggested_action: 'Look at the bill.',
      generated_at: expect.any(String),
      source: 'elm',
      source_parcel_id: '2',
      situs_address: null,
    })
    expect((await idsOf('/v1/admin/findings')).ids).toEqual(['2', '1'])
    expect((await idsOf('/v1/admin/findings?severity=medium')).ids).toEqual(['1'])
    expect((await idsOf('/v1/admin/findings?category=tax&source=elm')).ids).toEqual(['2'])
    expect((await idsOf('/v1/admin/findings?source=oak')).ids).toEqual([])
  })

  test('200: in pages', async () => {
    const first = await idsOf('/v1/admin/findings?limit=1')
    expect(first.ids).toEqual(['2'])
    expect(await idsOf(`/v1/admin/findings?limit=1&after=${first.next}`)).toEqual({ ids: ['1'], next: null })
  })

  test('400: a severity that does not exist', async () => {
    expect((await call('/v1/admin/findings?severity=dire')).status).toBe(400)
  })
})

describe('dismissing a finding', () => {
  const open = async () => (await call('/v1/findings/elm/1')).body.findings
  const dismiss = (id: string, body: unknown = { reason: 'recorded late' }, key?: string) =>
    call(`/v1/findings/${id}/dismiss`, { method: 'POST', body, ...(key === undefined ? {} : { key }) })

  test('200: lists leave it out until its evidence changes, and then show it again', async () => {
    const [finding] = await open()
    const { status, body } = await dismiss(finding.id)
    expect(status).toBe(200)
    const dismissed = { at: expect.any(String), by: 'test-adm', reason: 'recorded late' }
    expect(body).toEqual({ ...finding, dismissed, source: 'elm', source_parcel_id: '1', situs_address: null })
    expect(await open()).toEqual([])
    expect((await call('/v1/findings/elm/1?dismissed=any')).body.findings).toEqual([{ ...finding, dismissed }])
    const listed = async (dismissed: string) =>
      (await call(`/v1/admin/findings?dismissed=${dismissed}`)).body.findings.map(({ id }: { id: string }) => id)
    expect(await listed('true')).toEqual([finding.id])
    expect(await listed('false')).not.toContain(finding.id)
    expect(await listed('any')).toContain(finding.id)

    await sql`update findings set evidence = '{"before": "Bo Elm"}' where id = ${finding.id}`
    expect(await open()).toEqual([{ ...finding, evidence: { before: 'Bo Elm' } }])
    await sql`update findings set evidence = '{"before": "Ada Elm"}' where id = ${finding.id}`
    expect(await open()).toEqual([])
  })

  test('200: it can be reopened, and dismissed again with another reason', async () => {
    const [finding] = (await call('/v1/findings/elm/1?dismissed=true')).body.findings
    const reopened = await call(`/v1/findings/${finding.id}/dismiss`, { method: 'DELETE' })
    expect(reopened.status).toBe(200)
    expect(reopened.body.dismissed).toBeUndefined()
    expect((await call(`/v1/findings/${finding.id}/dismiss`, { method: 'DELETE' })).status).toBe(200)
    expect(await open()).toHaveLength(1)
    await dismiss(finding.id)
    expect((await dismiss(finding.id, { reason: 'a clerical error' })).body.dismissed.reason).toBe('a clerical error')
    await call(`/v1/findings/${finding.id}/dismiss`, { method: 'DELETE' })
  })

  test('404: an unknown finding', async () => {
    expect((await dismiss('019b76da-8c00-7000-8000-000000000001')).status).toBe(404)
    expect((await call('/v1/findings/019b76da-8c00-7000-8000-000000000001/dismiss', { method: 'DELETE' })).status).toBe(
      404,
    )
  })

  test('400: no reason, or an id that is not a UUID', async () => {
    const [finding] = await open()
    expect((await dismiss(finding.id, {})).status).toBe(400)
    expect((await dismiss(finding.id, { reason: '' })).status).toBe(400)
    expect((await dismiss('first')).status).toBe(400)
  })

  test('403: only admins dismiss', async () => {
    const [finding] = await open()
    expect((await dismiss(finding.id, { reason: 'x' }, await readKey())).status).toBe(403)
  })
})
