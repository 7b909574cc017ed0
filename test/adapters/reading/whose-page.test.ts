import { describe, expect, test } from 'bun:test'
import type { Adapter, RawDocument, ScrapedParcel, ScrapeTarget } from '../../../adapters/adapter'
import { readScrape } from '../../../adapters/read-scrape'
import { isSameParcel } from '../../../adapters/reading/page/expect-parcel'
import { ADAPTERS } from '../../../adapters/registry'
import { ScrapeError, type ScrapeErrorCode } from '../../../adapters/scrape-error'
import type { Case } from '../../../dev/adapter-cases/case'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { documentsOf, replay } from '../../../dev/adapter-cases/replay'
import { configOf, fetchCase, targetOf } from '../../../dev/adapter-cases/run-case'

const OTHER = 'X-4711-0815'

const codeOf = async (work: () => unknown): Promise<ScrapeErrorCode | 'read'> => {
  try {
    await work()
    return 'read'
  } catch (error) {
    if (error instanceof ScrapeError) return error.code
    throw error
  }
}

const documentsFor = async (adapter: Adapter, one: Case): Promise<RawDocument[]> => {
  const fetched = await fetchCase(adapter, one)
  return 'documents' in fetched ? fetched.documents : []
}

/** Keys with which a caller could make the portal show the parcel of the case, each once. */
const keysOf = ({ target: { sourceParcelId, overrides } }: Case): ScrapeTarget['overrides'][] => {
  const { vendorKey = sourceParcelId, pacsPropId } = (overrides ?? {}) as ScrapeTarget['overrides']
  return [
    { vendorKey },
    ...(vendorKey === sourceParcelId ? [] : [{ vendorKey: sourceParcelId }]),
    ...(pacsPropId === undefined ? [] : [{ pacsPropId }]),
    {},
  ]
}

/** Every word with a digit on the documents that could be mistaken for a parcel number. */
const numbersOn = (documents: readonly RawDocument[]): string[] => {
  const words = documents.flatMap(({ body }) => body.split(/<[^>]*>|[\s:"',;&#]+/))
  return [...new Set(words)].filter((word) => /\d/.test(word) && word.length <= 40)
}

for (const adapter of ADAPTERS) {
  const read = (one: Case, documents: readonly RawDocument[], target: Partial<ScrapeTarget>): ScrapedParcel =>
    readScrape(adapter, documents, { ...targetOf(one), ...target }, configOf(adapter, one))

  describe(adapter.vendor, () => {
    for (const one of listCases(adapter.vendor).filter(
      ({ expect, target }) => 'scrape' in expect && !target.storedNumber,
    )) {
      test(`${one.name}: another parcel requested with this one's key is refused, whether the service knows it or not`, async () => {
        for (const overrides of keysOf(one)) {
          const target = { ...targetOf(one), sourceParcelId: OTHER, overrides }
          const signal = AbortSignal.timeout(10_000)
          const code = await codeOf(async () => {
            const config = configOf(adapter, one)
            const fetched = adapter.needsBrowser
              ? { documents: documentsOf(one) }
              : await adapter.fetch(target, config, { http: replay(one), openPage: null, signal })
            if ('documents' in fetched) readScrape(adapter, fetched.documents, target, config)
          })
          // `network`: the case has no page for the request; `bad_config`: nothing can be requested without a key.
          expect(['wrong_parcel', 'not_found', 'network', 'bad_config', 'page_changed']).toContain(code)
          // The portal may show this parcel for any request.
          expect(['wrong_parcel', 'not_found']).toContain(
            await codeOf(async () => read(one, await documentsFor(adapter, one), target)),
          )
        }
      })

      test(`${one.name}: no other number on its pages is accepted as the parcel's, for any key`, async () => {
        const documents = await documentsFor(adapter, one)
        const { scrape } = read(one, documents, {})
        const { sourceParcelId } = one.target
        const keys = keysOf(one).filter(({ vendorKey }) => vendorKey !== undefined)
        const taken: string[] = []
        for (const number of numbersOn(documents).filter((word) => !isSameParcel(word, sourceParcelId))) {
          for (const overrides of keys) {
            const target = { sourceParcelId: number, overrides }
            const code = await codeOf(() => read(one, documents, target))
            if (code === 'read') taken.push(number)
          }
        }
        expect(taken).toEqual([])
        expect(scrape.parcel_number).not.toBe('')
      })

      test(`${one.name}: its stored number is accepted where the portal shows no other name for the parcel`, async () => {
        const documents = await documentsFor(adapter, one)
        const { parcel_number } = read(one, documents, {}).scrape
        const code = await codeOf(() => read(one, documents, { sourceParcelId: OTHER, storedNumber: parcel_number }))
        // Other pages show only the requested number, or the parcel has another number than the one shown.
        expect(['read', 'wrong_parcel', 'not_found']).toContain(code)
        expect(await codeOf(() => read(one, documents, { sourceParcelId: OTHER, storedNumber: 'Y-1' }))).not.toBe(
          'read',
        )
      })
    }
  })
}
