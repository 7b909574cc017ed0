import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { parcelFields, SEARCH_FIELDS } from '../../core/parcels/fields'
import { writeParcelFieldsPage } from '../../dev/parcel-fields-page'
import { insertSource } from '../jobs/job-rows'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()

test('field names are SQL identifiers that need no quotes, because statements contain them unquoted', async () => {
  const names = parcelFields.map(({ name }) => name)
  const rows = await sql<{ quoted: string }[]>`select quote_ident(name) as quoted from unnest(${names}::text[]) as name`
  expect(rows.map(({ quoted }) => quoted)).toEqual(names)
})

test('each field is a column of parcels with the declared type', async () => {
  const declared = {
    ...{ text: 'text', list: 'text[]', area: 'double precision', degrees: 'double precision' },
    ...{ money: 'bigint', boolean: 'boolean' },
  }
  const rows = await sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = 'parcels'::regclass and attnum > 0`
  const types = new Map(rows.map(({ name, type }) => [name, type]))
  for (const { name, type } of parcelFields) expect([name, types.get(name)]).toEqual([name, declared[type]])
})

test.each([...SEARCH_FIELDS])('a change of %s reaches the search outbox', async (name) => {
  await insertSource(sql, name, 'test')
  await sql`insert into parcels (source, source_parcel_id) values (${name}, '1')`
  await sql`delete from search_outbox`
  await sql`update parcels set ${sql(name)} = ${sql.unsafe("'7'")} where source = ${name}`
  expect(await sql`select kind from search_outbox`).toHaveLength(1)
})

test('docs/parcel-fields.md is up to date; bun run docs:fields writes it', () => {
  expect(readFileSync('docs/parcel-fields.md', 'utf8')).toBe(writeParcelFieldsPage())
})
