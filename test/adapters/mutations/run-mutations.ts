import type { Adapter, RawDocument, ScrapedParcel } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import type { Case } from '../../../dev/adapter-cases/case'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { fetchCase, parseCase } from '../../../dev/adapter-cases/run-case'
import { MUTATIONS, type Mutation, mutate, type Pick } from './mutate'
import { findWrong } from './wrong-values'

export interface MutationResult {
  vendor: string
  /** Mutated pages that were read or refused. */
  tried: number
  refused: number
  /** Silent errors: each with the case, the mutation and the path of the value. */
  wrong: string[]
}

interface Original {
  one: Case
  documents: RawDocument[]
  result: ScrapedParcel
}

/** Mutates the pages of one vendor `count` times, the same way for the same seed. */
export const runMutations = async (adapter: Adapter, count: number, seed: number): Promise<MutationResult> => {
  const pick = seeded(seed)
  const originals = await originalsOf(adapter)
  const names = Object.keys(MUTATIONS) as Mutation[]
  const outcome: MutationResult = { vendor: adapter.vendor, tried: 0, refused: 0, wrong: [] }
  if (originals.length === 0) return outcome
  // Pages of JSON can only be cut off: the other mutations have no place there.
  for (let attempt = 0; outcome.tried < count && attempt < count * 20; attempt++) {
    const { one, documents, result } = originals[pick(originals.length)] as Original
    const mutation = names[attempt % names.length] as Mutation
    const mutated = mutate(documents, mutation, pick)
    if (mutated === null) continue
    outcome.tried++
    try {
      const read = parseCase(adapter, one, mutated)
      const wrong = findWrong(read, result, mutation)
      outcome.wrong.push(...wrong.map((what) => `${adapter.vendor}/${one.name}, ${mutation}: ${what}`))
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      outcome.refused++
    }
  }
  return outcome
}

const originalsOf = async (adapter: Adapter): Promise<Original[]> => {
  const cases = listCases(adapter.vendor).filter(({ expect }) => 'scrape' in expect)
  const originals: Original[] = []
  for (const one of cases) {
    const fetched = await fetchCase(adapter, one)
    if ('documents' in fetched) {
      originals.push({ one, documents: fetched.documents, result: parseCase(adapter, one, fetched.documents) })
    }
  }
  return originals
}

/** mulberry32: a small generator of pseudo-random numbers. */
const seeded = (seed: number): Pick => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
