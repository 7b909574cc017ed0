import type { Adapter, RawDocument, ScrapedParcel } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import { createRandom } from '../../../core/seeded-random'
import type { Case } from '../../../dev/adapter-cases/case'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { fetchCase, parseCase } from '../../../dev/adapter-cases/run-case'
import { CUT_OFF, MUTATIONS, type Mutated, type Mutation, mutate } from './mutate'
import type { Pick } from './tree'
import { findWrong } from './wrong-values'

export interface MutationResult {
  vendor: string
  /** Mutated pages that were read or refused. */
  tried: number
  refused: number
  /** Silent errors: each with the case, the mutation and the path of the value. */
  wrong: string[]
  /** The same for pages that were cut off: values that were lost without an error. */
  lost: string[]
  /** Values that differ because the page says something else now. */
  unknowable: string[]
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
  const outcome = emptyResult(adapter)
  if (originals.length === 0) return outcome
  // Not every page has a place for every mutation.
  for (let attempt = 0; outcome.tried < count && attempt < count * 40; attempt++) {
    const original = originals[pick(originals.length)] as Original
    const mutation = MUTATIONS[attempt % MUTATIONS.length] as Mutation
    const mutated = mutate(original.documents, original.result, mutation, pick)
    if (mutated !== null) judge(adapter, original, mutation, mutated, outcome)
  }
  return outcome
}

/** Cuts every document of every case at `cuts` places. */
export const cutPages = async (adapter: Adapter, cuts: number, seed: number): Promise<MutationResult> => {
  const pick = seeded(seed)
  const outcome = emptyResult(adapter)
  for (const original of await originalsOf(adapter)) {
    for (const [index, document] of original.documents.entries()) {
      for (let cut = 0; cut < cuts; cut++) {
        const body = document.body.slice(0, pick(document.body.length))
        const documents = original.documents.with(index, { ...document, body })
        judge(adapter, original, CUT_OFF, { documents, lost: [] }, outcome)
      }
    }
  }
  return outcome
}

const emptyResult = ({ vendor }: Adapter): MutationResult => ({
  vendor,
  tried: 0,
  refused: 0,
  wrong: [],
  lost: [],
  unknowable: [],
})

const judge = (
  adapter: Adapter,
  { one, result }: Original,
  mutation: Mutation,
  { documents, lost }: Mutated,
  outcome: MutationResult,
): void => {
  outcome.tried++
  try {
    const { wrong, unknowable } = findWrong(parseCase(adapter, one, documents), result, mutation, lost)
    const named = (what: string) => `${adapter.vendor}/${one.name}, ${mutation}: ${what}`
    const list = mutation === CUT_OFF ? outcome.lost : outcome.wrong
    list.push(...wrong.map(named))
    outcome.unknowable.push(...unknowable.map(named))
  } catch (error) {
    if (!(error instanceof ScrapeError)) throw error
    outcome.refused++
  }
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

const seeded = (seed: number): Pick => {
  const random = createRandom(seed)
  return (below) => Math.floor(random() * below)
}
