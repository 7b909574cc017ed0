import { expect, test } from 'bun:test'
import { listAllFindings } from '../../drizzle/queries/findings/findings'
import { FINDING_CATEGORIES, SEVERITIES } from '../../drizzle/schema/values'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../support/servers'
import { countRowsRead } from './rows-read'

const { sql } = await createTestDatabase()
await insertCounty(sql, 'elm')
await sql`insert into parcels (source, source_parcel_id) select 'elm', n from generate_series(1, 500) n`
// Findings of all kinds in turn, and a rare kind that is older than all others. A search backward in time for it would read them all.
const OLD = { severity: 'high', category: 'geometry' } as const
await sql`
  insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
  select id, ${OLD.category}, ${OLD.severity}, ${OLD.category}, '{}', 'Look.' from parcels limit 10`
await sql`
  insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
  select id, rule, (${SEVERITIES.filter((one) => one !== OLD.severity)}::finding_severity[])[1 + n % 3],
    (${FINDING_CATEGORIES.filter((one) => one !== OLD.category)}::finding_category[])[1 + n % 5], '{}', 'Look.'
  from (select id, rule, row_number() over () as n from parcels, generate_series(1, 10) rule) p`
await sql`analyze`

test.each([
  {},
  { severity: 'low' },
  { severity: 'low', category: 'tax' },
  { category: 'tax' },
  { severity: OLD.severity },
  { category: OLD.category },
  OLD,
  { severity: OLD.severity, category: 'tax' },
] as const)('a page of findings narrowed to %o reads no finding but its own, of 5,000', async (kind) => {
  const narrowed = { dismissed: 'false' as const, severity: null, category: null, source: null, limit: 5, ...kind }
  const page = await listAllFindings(sql, { ...narrowed, after: null })
  expect(await countRowsRead(sql, listAllFindings(sql, { ...narrowed, after: null }), 'findings')).toBe(page.length)
  const after = page.at(-1)?.id ?? null
  if (after === null) return
  const next = await listAllFindings(sql, { ...narrowed, after })
  expect(next).toHaveLength(5)
  expect(await countRowsRead(sql, listAllFindings(sql, { ...narrowed, after }), 'findings')).toBe(5)
})
