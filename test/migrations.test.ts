import { expect, test } from 'bun:test'
import { migrate } from '../drizzle/migrate'
import { createTestDatabase } from './servers'

const { url, sql } = await createTestDatabase()

test('migrating a migrated database is harmless, from four processes at once too', async () => {
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)])
  const [row] = await sql`select count(*)::int as tables from pg_tables where schemaname = 'public'`
  expect(row?.tables).toBe(28)
})
