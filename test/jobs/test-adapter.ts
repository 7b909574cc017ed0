import { Type } from '@sinclair/typebox'
import type { Adapter, FetchContext, HttpClient, ScrapedParcel, ScrapeTarget } from '../../adapters/adapter'

type Answer = ScrapedParcel | 'not-modified'

/** The result of scraping a normal page. */
export const scraped = (parcelNumber: string, more: Partial<ScrapedParcel> = {}): ScrapedParcel => ({
  fields: { ownerName: `OWNER OF ${parcelNumber}`, ...more.fields },
  scrape: { parcel_number: parcelNumber, fetched_at: new Date().toISOString(), ...more.scrape },
})

/** An adapter whose portal is a function in the test. */
export const createTestAdapter = (
  answer: (target: ScrapeTarget, context: FetchContext) => Promise<Answer> | Answer = ({ sourceParcelId }) =>
    scraped(sourceParcelId),
  more: Partial<Adapter> = {},
): Adapter => {
  const answers = new Map<string, ScrapedParcel>()
  return {
    vendor: 'test',
    grade: 'A',
    needsBrowser: false,
    config: Type.Object({}, { additionalProperties: true }),
    async fetch(target, _, context) {
      const answered = await answer(target, context)
      if (answered === 'not-modified') return { notModified: true }
      answers.set(target.sourceParcelId, answered)
      return { documents: [] }
    },
    parse(_, { sourceParcelId }) {
      const answered = answers.get(sourceParcelId)
      if (answered === undefined) throw new Error('parsed before fetched')
      answers.delete(sourceParcelId)
      return { shownIds: [answered.scrape.parcel_number], ...answered }
    },
    ...more,
  }
}

const noHttp: HttpClient = {
  request: () => Promise.reject(new Error('this test has no network')),
  withOwnCookies: () => noHttp,
}
export const createTestContext = (_: string, signal: AbortSignal): FetchContext => ({
  http: noHttp,
  openPage: null,
  signal,
})
