import { expect, test } from 'bun:test'
import { markedParts, ParcelData } from '../../clients/typescript/src/index'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../search/search'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { PATIENT } from '../search/patient'

const { app, sql, useSearch } = await createTestApp()
await seedSampleCounty(sql, { parcels: 1, entities: 0 })
useSearch(createSearch({ sql, meili: null, limits: PATIENT }))

const OWNER = `QUILLFEATHER & "SONS" 'N' <mark>I</mark> &lt;`
const ADDRESS = '<img src=x onerror=alert(1)> ALDER ST'
await upsertParcels(sql, 'sample-county', [{ sourceParcelId: 'Q-1', ownerName: OWNER, situsAddress: ADDRESS }])

const client = new ParcelData({
  baseUrl: 'http://localhost',
  key: ADMIN_KEY,
  fetch: async (url, init) => app.handle(new Request(url, { headers: init.headers ?? {} })),
})

test('the parts of a highlighted field are its text, also if it looks like HTML', async () => {
  const { results } = await client.search({ q: 'quillfeather sons', highlight: '1', limit: 1 })
  const [hit] = results
  if (hit?.kind !== 'parcel') throw new Error(`no hit: ${JSON.stringify(results)}`)
  const parts = markedParts(hit.owner_name, hit.highlight?.owner_name)
  expect(parts.map(({ text }) => text).join('')).toBe(OWNER)
  expect(parts.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual(['QUILLFEATHER', 'SONS'])
  // Nothing matched in the address, so it is not highlighted, and not escaped.
  expect(hit.highlight?.situs_address).toBeUndefined()
  expect(markedParts(hit.situs_address, hit.highlight?.situs_address)).toEqual([{ text: ADDRESS, isMatch: false }])
})

test('a field that the record does not have has no parts', () => {
  expect(markedParts(null, undefined)).toEqual([])
})
