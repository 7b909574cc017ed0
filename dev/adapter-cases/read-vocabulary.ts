import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listCases } from './list-cases'

const VENDORS_DIR = join(import.meta.dirname, '../../adapters/vendors')
const WORD = /[\p{L}\p{M}]+/gu

/**
 * The words of a vendor's pages that are not personal data, in lower case: words in its adapter and in the source's settings, and words
 * of the invented pages that are not in a value.
 */
export const readVocabulary = (vendor: string, vendorConfig: Record<string, unknown>): ReadonlySet<string> => {
  const words = new Set<string>()
  const cases = listCases(vendor)
  for (const { folder, exchanges } of cases) {
    for (const { file } of exchanges)
      for (const word of wordsIn(readFileSync(join(folder, file), 'utf8'))) words.add(word)
  }
  for (const { expect } of cases) for (const word of wordsIn(textsIn(expect))) words.delete(word)
  const folder = join(VENDORS_DIR, vendor)
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    for (const word of wordsIn(readFileSync(join(folder, file), 'utf8'))) words.add(word)
  }
  for (const word of wordsIn(JSON.stringify(vendorConfig))) words.add(word)
  return words
}

const wordsIn = (text: string): string[] => (text.match(WORD) ?? []).map((word) => word.toLowerCase())

const textsIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? Object.values(value).map(textsIn).join(' ') : ''
}
