import { expect, test } from 'bun:test'
import { type FindingInput, storeFindings } from '../../drizzle/queries/findings/store-findings'
import { readStoredParcels } from '../../drizzle/queries/parcels/read-stored-parcels'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()
await insertCounty(sql)
await upsertParcels(sql, 'elm', [{ sourceParcelId: '1' }, { sourceParcelId: '2' }])
const [first, second] = await sql<{ id: string }[]>`select id from parcels order by source_parcel_id`
const parcelId = first?.id as string

const unpaid = (year: number, due: number): FindingInput => ({
  rule: 'unpaid-statement',
  subject: String(year),
  severity: 'medium',
  category: 'tax',
  evidence: { tax_year: year, due },
  suggestedAction: 'Ask the treasurer.',
})
const rows = () => sql`select * from findings where parcel_id = ${parcelId} order by rule, subject`

test('a finding keeps its id and first date as long as it applies, gets new evidence, and is deleted when it no longer applies', async () => {
  await storeFindings(sql, [{ parcelId: second?.id as string, findings: [unpaid(2024, 1)] }])
  await storeFindings(sql, [{ parcelId, findings: [unpaid(2024, 100), unpaid(2025, 200)] }])
  const before = await rows()
  expect(before.map(({ subject, evidence }) => [subject, evidence])).toEqual([
    ['2024', { tax_year: 2024, due: 100 }],
    ['2025', { tax_year: 2025, due: 200 }],
  ])

  await storeFindings(sql, [
    { parcelId, findings: [{ ...unpaid(2025, 150), severity: 'high', suggestedAction: 'Pay.' }] },
  ])
  const after = await rows()
  expect(after).toHaveLength(1)
  expect(after[0]).toEqual({
    ...before[1],
    severity: 'high',
    evidence: { tax_year: 2025, due: 150 },
    suggested_action: 'Pay.',
  })

  await storeFindings(sql, [{ parcelId, findings: [] }])
  expect(await rows()).toHaveLength(0)
  expect(await sql`select from findings`).toHaveLength(1)
})

test('an unchanged finding is not written again', async () => {
  await storeFindings(sql, [{ parcelId, findings: [unpaid(2024, 100)] }])
  const version = () => sql`select xmin::text, ctid::text from findings where parcel_id = ${parcelId}`
  const before = await version()
  await storeFindings(sql, [{ parcelId, findings: [unpaid(2024, 100)] }])
  expect([...(await version())]).toEqual([...before])
})

test('the next review gets the findings that still apply', async () => {
  await storeFindings(sql, [{ parcelId, findings: [unpaid(2024, 100)] }])
  const stored = await sql.begin((tx) => readStoredParcels(tx, 'elm', ['1']))
  expect(stored.get('1')?.findings).toEqual([
    {
      rule: 'unpaid-statement',
      subject: '2024',
      severity: 'medium',
      evidence: { tax_year: 2024, due: 100 },
      generatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  ])
})
