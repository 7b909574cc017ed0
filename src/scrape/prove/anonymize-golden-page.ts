import type { Adapter } from '../../../adapters/adapter'
import type { StoredGoldenPage } from '../../../drizzle/queries/sources/source-proofs'
import { decodePageSet } from '../pages/page-set'
import type { Readers } from '../readers/readers'
import { createAnonymizer, type Vocabulary } from './anonymize'
import { comparable } from './compare-with-page'
import type { Anonymized } from './golden-file'
import { readGoldenPage } from './read-golden-page'

/** Settings that must not be written to files. */
const SECRETS = /token|secret|password|key$/i

/** A single word, such as a status, does not identify anyone. */
const IDENTIFYING = /\p{L}\s+\p{L}|\d{3}/u

/**
 * Removes the names, addresses and numbers of people and parcels from a golden page. Then reads it again, and refuses it if the adapter
 * finds different fields, or if a text of the record is still in the file. Call it through a `ReaderPool`, because a malicious page can
 * make the replacement take hours.
 */
export const anonymizeGoldenPage = async (
  readers: Pick<Readers, 'replay'>,
  adapter: Adapter,
  golden: StoredGoldenPage,
  vocabulary: Vocabulary,
): Promise<Anonymized> => {
  const { source, vendor, target, pageHash, page, answeredAt, read } = golden
  const set = await decodePageSet(pageHash, page)
  const vendorConfig = Object.fromEntries(Object.entries(golden.vendorConfig).filter(([name]) => !SECRETS.test(name)))
  const ids = listTexts([target.sourceParcelId, target.storedNumber, target.overrides, parcelNumberOf(read)])
  const anonymizer = createAnonymizer(vocabulary, ids)
  const { sourceParcelId, overrides, storedNumber } = target
  const shared = {
    source,
    vendor,
    vendorConfig,
    answeredAt,
    set: anonymizer.pageSet(set),
    target: { ...target, ...anonymizer.value({ sourceParcelId, overrides, storedNumber }), otherSpelling: null },
  }
  const now = comparable(await readGoldenPage(readers, adapter, shared))
  const [former, found] = [listPaths(read), listPaths(now)]
  const different = [...former, ...found].filter((path) => !former.includes(path) || !found.includes(path))
  if (different.length > 0) {
    return { refused: `without names and numbers, the page reads differently: ${different.join(', ')}` }
  }
  const file = { ...shared, read: now as Record<string, unknown> }
  // The county is in the URLs, and it is not a secret.
  const text = listTexts([
    now,
    shared.set.answers.map(({ body, url, asked }) => [body, pathOf(url), pathOf(asked.url)]),
  ])
    .join('\n')
    .toLowerCase()
  const left = listTexts(read).find(
    (one) => IDENTIFYING.test(one) && anonymizer.text(one) !== one && text.includes(one.toLowerCase()),
  )
  return left === undefined ? { file } : { refused: 'a text of the record is still in the page' }
}

const parcelNumberOf = (read: Record<string, unknown>): unknown =>
  (read.scrape as { parcel_number?: unknown } | undefined)?.parcel_number

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname + new URL(url).search : url)

const listTexts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

const listPaths = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, part]) => listPaths(part, path === '' ? name : `${path}.${name}`))
    : [path]
