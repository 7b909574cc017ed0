import { join } from 'node:path'
import type { Adapter } from '../../../adapters/adapter'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { fetchCase, parseCase } from '../../../dev/adapter-cases/run-case'
import { type Growth, grow } from './grown-pages'
import { measureParse } from './measure-parse'

/*
 * A program: measures one vendor's `parse` on its full page, grown in each of these ways. Writes a line of JSON per way.
 * It loads only that adapter: loading all of them, with the browser driver, takes longer than reading a page.
 */

const [vendor = '', ...growths] = process.argv.slice(2)
const file = join(import.meta.dirname, '../../../adapters/vendors', vendor, 'adapter.ts')
const [adapter] = Object.values<Adapter>(await import(file))
const full = listCases(vendor).find(({ name }) => name === 'full')
if (adapter?.vendor !== vendor || full === undefined) throw new Error(`no full case of ${vendor}`)
const fetched = await fetchCase(adapter, full)
if ('notModified' in fetched) throw new Error(`${vendor} returned no pages`)

for (const growth of growths) {
  const documents = grow(fetched.documents, growth as Growth)
  if (documents === null) continue
  const size = Math.max(...documents.map(({ body }) => body.length))
  console.log(JSON.stringify({ growth, size, ...measureParse(() => parseCase(adapter, full, documents)) }))
}
