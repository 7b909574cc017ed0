import { expect, test } from 'bun:test'
import { ADAPTERS } from '../../../adapters/registry'
import { cutPages, runMutations } from './run-mutations'

/** A small part of `bun run bench mutations`. */
const COUNT = 40
/** Per document. */
const CUTS = 3
const SEED = 4

for (const adapter of ADAPTERS) {
  test(`${adapter.vendor}: a page whose structure changed is refused, or read without a wrong value`, async () => {
    const { tried, wrong, lost } = await runMutations(adapter, COUNT, SEED)
    expect(tried).toBe(COUNT)
    expect([...wrong, ...lost]).toEqual([])
  })

  test(`${adapter.vendor}: a page that was cut off is refused, or read without a loss`, async () => {
    const { tried, lost } = await cutPages(adapter, CUTS, SEED)
    expect(tried).toBeGreaterThan(0)
    expect(lost).toEqual([])
  })
}
