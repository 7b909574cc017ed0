import { beforeAll, expect, test } from 'bun:test'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { listLargeOwners } from '../../drizzle/queries/search/search-owner-members'
import { listVocabulary } from '../../drizzle/queries/search/search-vocabulary'
import { fold } from '../../search/query/text'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../support/servers'
import { countRowsProcessedFromCache } from './rows-read'

const { sql } = await createTestDatabase()

beforeAll(async () => {
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('here', 'OR', 'Here', 'pacs', 'https://example.com')`
  const addresses = ['1 MAPLE ST', '2 MAPLE ST', '3 MAPLE ST', '4 MAPLE ST', '5 MAPLE ST', '6 PINE ST', '7 ELM ST']
  const owners = ['ROSE ADA', 'MAPLE ADA', 'MAPLE JO', 'JUNIPER ELM', 'PINE LLC', 'PINE LLC', 'ROSE ADA']
  const parcels = owners.map((ownerName, place) => ({
    sourceParcelId: `${place}`,
    ownerName,
    situsAddress: addresses[place] ?? null,
    ownerMailingAddress: '9 WALNUT RD',
  }))
  await upsertParcels(sql, 'here', parcels)
})

test('the vocabulary counts the rows with a word, and knows which words are streets rather than names', async () => {
  const words = new Map((await listVocabulary(sql)).map(({ word, ...found }) => [word, found]))
  expect(words.get('maple')).toEqual({ count: 7, isStreet: true })
  expect(words.get('st')).toEqual({ count: 7, isStreet: true })
  // In one street only, in as many names, and only in mailing addresses.
  expect(words.get('pine')).toEqual({ count: 3, isStreet: false })
  expect(words.get('elm')).toEqual({ count: 2, isStreet: false })
  expect(words.get('walnut')).toEqual({ count: 7, isStreet: false })
})

test('owners of three parcels or more are large owners, in upper and lower case', async () => {
  const names = ['Larch Holdings', 'LARCH  HOLDINGS', 'larch holdings', 'SPRUCE ADA', 'SPRUCE ADA', null, null, null]
  const parcels = names.map((ownerName, place) => ({ sourceParcelId: `large ${place}`, ownerName }))
  await upsertParcels(sql, 'here', parcels)
  expect(await listLargeOwners(sql)).toEqual([{ key: 'larch holdings', parcels: 3 }])
})

test('words with accents are in the vocabulary as a search compares them: without', async () => {
  const addresses = ['1 CAÑADA RD', '1 CAÑADA RD'.normalize('NFD'), '3 cañada rd']
  const parcels = addresses.map((situsAddress, place) => ({
    ...{ sourceParcelId: `accent ${place}`, situsAddress },
    ...{ ownerName: 'PEÑA JOSÉ', situsCity: 'Cañon City', ownerMailingAddress: '7 Bjørn Wåy' },
  }))
  await upsertParcels(sql, 'here', parcels)
  const words = new Map((await listVocabulary(sql)).map(({ word, count }) => [word, count]))
  for (const text of ['Cañada', 'peña', 'JOSÉ', 'CAÑON', 'Bjørn', 'WÅY'])
    expect([text, words.get(fold(text))]).toEqual([text, 3])
  expect([...words.keys()].filter((word) => word !== fold(word))).toEqual([])
})

test('a cached plan for the vocabulary does not count the totals again for each word', async () => {
  const { sql } = await createTestDatabase()
  await insertCounty(sql)
  const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  await upsertParcels(
    sql,
    'elm',
    Array.from({ length: 1_000 }, (_, n) => ({ sourceParcelId: `${n}`, ownerName: `${letters(n + 1_000)} ADA` })),
  )
  expect((await listVocabulary(sql)).length).toBe(1_001)
  // Each text and each word passes through a few steps. Counted again for each word, the totals would be a million.
  expect(await countRowsProcessedFromCache(sql, listVocabulary)).toBeLessThan(30_000)
})
