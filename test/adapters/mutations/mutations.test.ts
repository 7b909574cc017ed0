import { expect, test } from 'bun:test'
import { ADAPTERS } from '../../../adapters/registry'
import { runMutations } from './run-mutations'

/** A small part of `bun run bench mutations`. */
const COUNT = 40
const SEED = 4

for (const adapter of ADAPTERS) {
  test(`${adapter.vendor}: a page whose structure changed is refused, or read without a wrong value`, async () => {
    const { tried, wrong } = await runMutations(adapter, COUNT, SEED)
    expect(tried).toBe(COUNT)
    expect(wrong).toEqual([])
  })
}
