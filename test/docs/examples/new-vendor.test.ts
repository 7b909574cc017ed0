import { expect, test } from 'bun:test'
import { createTestDatabase } from '../../support/servers'
import { copySource } from './source-copy'

const source = copySource()

test('a new vendor takes its folder and the registry', async () => {
  source.run('bun', 'src/cli/adapter.ts', 'new', 'elm-records')
  source.edit(
    'adapters/registry.ts',
    [
      "import { fixture } from './vendors/fixture/adapter'\n",
      "import { elmRecords } from './vendors/elm-records/adapter'\nimport { fixture } from './vendors/fixture/adapter'\n",
    ],
    ['  vanguardIowaAssessors,\n]', '  vanguardIowaAssessors,\n  elmRecords,\n]'],
  )
  const changes = source.listChanges()
  expect(changes).toContain('adapters/vendors/elm-records/adapter.ts')
  expect(changes.filter((file) => !file.startsWith('adapters/vendors/elm-records/'))).toEqual(['adapters/registry.ts'])

  // It is found, and the pages in its folder pass the checks of every vendor.
  const { findAdapter, VENDORS } =
    await source.load<typeof import('../../../adapters/registry')>('adapters/registry.ts')
  const { judgeCase } = await source.load<typeof import('../../../dev/adapter-cases/judge-case')>(
    'dev/adapter-cases/judge-case.ts',
  )
  const { listCases } = await source.load<typeof import('../../../dev/adapter-cases/list-cases')>(
    'dev/adapter-cases/list-cases.ts',
  )
  const adapter = findAdapter('elm-records')
  if (adapter === null) throw new Error('elm-records is not in the registry')
  const cases = listCases('elm-records')
  expect(cases.map(({ name }) => name)).toContain('full')
  for (const one of cases) expect(await judgeCase(adapter, one)).toBeNull()

  // A new database has a concurrency for it.
  const { sql } = await createTestDatabase()
  const { seed } = await source.load<typeof import('../../../drizzle/seed/seed')>('drizzle/seed/seed.ts')
  await seed(sql, VENDORS)
  const rows = await sql`select target_concurrency from vendor_concurrency where vendor = 'elm-records'`
  expect([...rows]).toEqual([{ target_concurrency: 2 }])
})
