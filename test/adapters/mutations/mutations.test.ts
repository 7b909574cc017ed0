import { expect, test } from 'bun:test'
import { ADAPTERS } from '../../../adapters/registry'
import type { Mutation } from './mutate'
import { runMutations } from './run-mutations'

/** A small part of `bun run bench mutations`. */
const COUNT = 40
const SEED = 4

/**
 * Changes that these adapters read wrong without an error. Of most of these tables only the places of the columns are known, and not
 * their headings. `bun run bench mutations` counts them. A vendor leaves this list when its adapter refuses such pages.
 */
const KNOWN_GAPS: Readonly<Record<string, readonly Mutation[]>> = {
  'aumentum-ascendweb': ['two columns exchanged'],
  'gsa-catalis': ['two columns exchanged'],
  'ne-assessors-taxes-online': ['two columns exchanged'],
  oktaxrolls: ['two columns exchanged', 'tables as description lists'],
  'patriot-webpro': ['tables as description lists', 'a label and its value in one cell'],
  'tyler-eagleweb-treasurer': ['two columns exchanged'],
  'tyler-iasworld': ['two columns exchanged'],
}

for (const adapter of ADAPTERS) {
  const gaps = KNOWN_GAPS[adapter.vendor] ?? []
  test(`${adapter.vendor}: a page whose structure changed is refused, or read without a wrong value`, async () => {
    const { tried, wrong } = await runMutations(adapter, COUNT, SEED, gaps)
    expect(tried).toBe(COUNT)
    expect(wrong).toEqual([])
  })
}
