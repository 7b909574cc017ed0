import { afterAll, expect, test } from 'bun:test'
import type { Adapter } from '../../adapters/adapter'
import type { Case } from '../../adapters/cases/case'
import { listCases } from '../../adapters/cases/list-cases'
import { documentsOf, replay } from '../../adapters/cases/replay'
import { configOf, targetOf } from '../../adapters/cases/run-case'
import { ADAPTERS } from '../../adapters/registry'
import { createReaderPool } from '../../src/readers/reader-pool'
import { type Readers, readHere } from '../../src/readers/readers'

const pool = createReaderPool()
afterAll(() => pool.stop())

/** The parcel, or what the scrape failed with. */
const outcomeOf = async (readers: Readers, known: Adapter, one: Case): Promise<unknown> => {
  // What a browser would bring stands in the case.
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
  '%s: every page is read by a reader as it is in this thread',
  async (vendor, adapter) => {
    for (const one of listCases(vendor)) {
      expect(await outcomeOf(pool, adapter, one), one.name).toEqual(await outcomeOf(readHere, adapter, one))
    }
  },
  30_000,
)
