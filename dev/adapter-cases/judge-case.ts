import type { Adapter } from '../../adapters/adapter'
import { ScrapeError } from '../../adapters/scrape-error'
import { listScrapeProblems } from '../../adapters/scrape-problems'
import { listDifferent } from '../../src/scrape/prove/list-different'
import type { Case } from './case'
import { inventedValues } from './invented-values'
import { NoResponse } from './replay'
import { fetchCase, parseCase } from './run-case'

/**
 * Describes what is wrong with the result of a case; null when the result is as expected, matches the contract, and has no
 * value that is not on the pages.
 */
export const judgeCase = async (adapter: Adapter, one: Case): Promise<string | null> => {
  const { expect } = one
  try {
    const fetched = await fetchCase(adapter, one)
    const outcome = 'notModified' in fetched ? fetched : parseCase(adapter, one, fetched.documents)
    if ('refusal' in expect) return `expected ${expect.refusal}, but the page was read`
    if (!Bun.deepEquals(outcome, expect, true)) return describeDifference(outcome, expect)
    if (!('scrape' in outcome) || 'notModified' in fetched) return null
    const problems = listScrapeProblems(outcome.scrape)
    if (problems.length > 0) return `does not match the contract: ${problems.join('; ')}`
    const invented = inventedValues(outcome, fetched.documents, one.derived)
    return invented.length === 0 ? null : `not on the pages: ${invented.join('; ')}`
  } catch (error) {
    if (!(error instanceof ScrapeError)) throw error
    const said = `${error.code}: ${error.message}`
    if (!('refusal' in expect) || error instanceof NoResponse) return said
    return error.code === expect.refusal && error.message.includes(expect.says ?? '')
      ? null
      : `expected ${expect.refusal} ${expect.says ?? ''}, but got ${said}`
  }
}

const describeDifference = (outcome: object, expected: object): string => {
  const partsOf = (result: object) => result as Partial<Record<'fields' | 'scrape', object>>
  const fields = (['fields', 'scrape'] as const).flatMap((part) =>
    listDifferent(partsOf(expected)[part] ?? {}, partsOf(outcome)[part] ?? {}),
  )
  return ['the result differs from the expected one', ...(fields.length > 0 ? [fields.join(', ')] : [])].join(' in ')
}
