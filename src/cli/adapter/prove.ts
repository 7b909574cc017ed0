import { ServiceError } from '../../../core/service-error'
import { compareWithPage } from '../../scrape/prove/compare-with-page'
import { proveSource } from '../../scrape/prove/prove-source'
import { ACTOR, useDatabase } from '../command/use-database'
import { openQuestions } from '../terminal/ask'
import { describeComparison } from './describe-comparison'
import { openTrials, readOverrides } from './open-trials'

export interface ProofOptions {
  parcel: string
  /** JSON. */
  overrides: string | undefined
  isAccepted: boolean
}

/**
 * Scrapes one parcel of a source and shows it next to the labels of the page. If a person confirms the result, its pages become the
 * source's golden page, and the source can be activated.
 */
export const proveFromCommand = (source: string, { parcel, overrides, isAccepted }: ProofOptions): Promise<void> => {
  const given = readOverrides(overrides)
  return useDatabase({ applicationName: 'prove', max: 2 }, async (sql) => {
    await using questions = openQuestions()
    const trials = openTrials(sql)
    try {
      const trial = await trials.tryParcel({ source, sourceParcelId: parcel, overrides: given })
      console.log(`${source}, parcel ${parcel}`)
      for (const line of describeComparison(compareWithPage(trial))) console.log(line)
      if ('failure' in trial.outcome)
        throw new ServiceError(`conflict`, `${source} is not proved: the parcel was not read`)
      const question = 'Does the portal show exactly these values for this parcel?'
      if (!isAccepted && !(await questions.confirm(question))) {
        throw new ServiceError('conflict', `${source} is not proved: nothing was stored`)
      }
      await proveSource(sql, trial, { by: ACTOR })
      console.log(`${source} is proved. It can be switched on in the console, or with PATCH /v1/sources/${source}.`)
    } finally {
      await trials.close()
    }
  })
}
