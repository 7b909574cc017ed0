import { afterAll, expect, test } from 'bun:test'
import type { Adapter } from '../../../adapters/adapter'
import { ADAPTERS } from '../../../adapters/registry'
import type { Case } from '../../../dev/adapter-cases/case'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { documentsOf, replay } from '../../../dev/adapter-cases/replay'
import { configOf, targetOf } from '../../../dev/adapter-cases/run-case'
import { createReaderPool } from '../../../src/scrape/readers/reader-pool'
import { type Readers, readHere } from '../../../src/scrape/readers/readers'

const pool = createReaderPool()
afterAll(() => pool.stop())

/** The parcel, or the error of the scrape. */
const outcomeOf = async (readers: Readers, known: Adapter, one: Case): Promise<unknown> => {
  // The case holds what a browser would show.
  const fetch: Adapter['fetch'] = async () => ({ documents: documentsOf(one) })
  const adapter = known.needsBrowser ? { ...known, fetch } : known
  const context = { http: replay(one), openPage: null, signal: new AbortController().signal }
  const scrape = async () => readers.scrape({ adapter, target: targetOf(one), config: configOf(adapter, one) }, context)
  return scrape().then(
    (parcel) => JSON.parse(JSON.stringify(parcel)),
    ({ name, code, message }) => ({ name, code, message }),
  )
}

test.each(ADAPTERS.map((adapter) => [adapter.vendor, adapter] as const))(
  '%s: a reader reads every page with the same result as this thread',
  async (vendor, adapter) => {
    for (const one of listCases(vendor)) {
      expect(await outcomeOf(pool, adapter, one), one.name).toEqual(await outcomeOf(readHere, adapter, one))
    }
  },
)
