import type { Adapter } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { listScrapeProblems } from '../scrape-problems'
import type { Case } from './case'
import { runCase } from './run-case'

/** What is wrong with the outcome of a case, in words; null when it is what the case expects. */
export const judgeCase = async (adapter: Adapter, one: Case): Promise<string | null> => {
  const { expect } = one
  try {
    const outcome = await runCase(adapter, one)
    if ('refusal' in expect) return `expected ${expect.refusal}, and it was read`
    if (!Bun.deepEquals(outcome, expect, true)) return 'brought something else than expected'
    const problems = 'scrape' in outcome ? listScrapeProblems(outcome.scrape) : []
    return problems.length === 0 ? null : `not as the contract has it: ${problems.join('; ')}`
  } catch (error) {
    if (!(error instanceof ScrapeError)) throw error
    const said = `${error.code}: ${error.message}`
    if (!('refusal' in expect)) return said
    return error.code === expect.refusal && error.message.includes(expect.says ?? '')
      ? null
      : `expected ${expect.refusal} ${expect.says ?? ''}, and got ${said}`
  }
}
