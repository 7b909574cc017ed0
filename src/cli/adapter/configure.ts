import type { TSchema } from '@sinclair/typebox'
import { gradeIn } from '../../../adapters/adapter'
import { findAdapter } from '../../../adapters/registry'
import { findProblem } from '../../../core/schema/schema-problem'
import {
  findValue,
  type JsonSchema,
  listSettings,
  readAnswer,
  type Setting,
  UnreadableAnswer,
  withValue,
  writeAnswer,
} from '../../../core/schema/settings'
import { ServiceError } from '../../../core/service-error'
import { isProved } from '../../../drizzle/queries/sources/source-proofs'
import { findSource } from '../../../drizzle/queries/sources/sources'
import { findLookUp } from '../../../drizzle/seed/seed'
import { readConfig } from '../../config'
import { checkVendorConfig, configureSource } from '../../scrape/configure-source'
import { compareWithPage } from '../../scrape/prove/compare-with-page'
import { useDatabase } from '../command/use-database'
import { openQuestions, type Questions } from '../terminal/ask'
import { describeComparison } from './describe-comparison'
import { openTrials } from './open-trials'

/**
 * Prompts for the settings of a source one by one, checks each answer, makes a dry run of one parcel, and saves the settings if the
 * person confirms. If the input ends early, nothing is saved.
 */
export const configureFromCommand = (source: string): Promise<void> =>
  useDatabase({ applicationName: 'configure', max: 2 }, async (sql) => {
    await using questions = openQuestions()
    const found = await findSource(sql, source, { withSettings: true })
    if (found === null) throw new ServiceError('not_found', `unknown source: ${source}`)
    const { vendor, state, body } = found
    const { vendor_config: before, base_url } = JSON.parse(body)
    const adapter = findAdapter(vendor)
    if (adapter === null) throw new ServiceError('bad_input', `there is no adapter for the vendor ${vendor}`)
    const lookUp = findLookUp(source, vendor)
    console.log(`${source}: ${vendor}\n${base_url}`)
    if (lookUp !== null) console.log(`\nLook up first: ${lookUp}`)
    const settings = listSettings(adapter.config as JsonSchema)
    console.log(
      settings.length === 0
        ? '\nThis vendor has no settings.'
        : '\nPress Enter to keep the value in brackets. Answer - to remove it.',
    )
    let vendorConfig: Record<string, unknown> = before
    for (const setting of settings) {
      vendorConfig = withValue(vendorConfig, setting, await askFor(questions, setting, findValue(before, setting)))
    }
    const { allowPrivateSources } = readConfig()
    checkVendorConfig({ source, vendor, vendorConfig, allowPrivateSources })
    console.log(`\nvendor_config: ${JSON.stringify(vendorConfig, null, 2)}`)

    const parcel = await questions.ask('\nsource_parcel_id of a parcel for a dry run (Enter: no dry run): ')
    if (parcel) {
      const trials = openTrials(sql)
      try {
        const trial = await trials.tryParcel({ source, sourceParcelId: parcel, vendorConfig })
        for (const line of describeComparison(compareWithPage(trial))) console.log(line)
      } finally {
        await trials.close()
      }
    }
    if (!(await questions.confirm('Save these settings?'))) {
      throw new ServiceError('conflict', `the settings of ${source} were not saved`)
    }
    await configureSource(sql, source, { vendor_config: vendorConfig }, { allowPrivateSources })
    console.log(`The settings of ${source} are saved.`)
    if (gradeIn(adapter, state) === 'C' && !(await isProved(sql, source, vendor))) {
      console.log(`It can be switched on after: bun run adapter prove ${source} --parcel ${parcel || 'ID'}`)
    }
  })

/** The value of a setting. Prompts until the answer is valid. Undefined: the setting is left out. */
const askFor = async (questions: Questions, setting: Setting, current: unknown): Promise<unknown> => {
  const { name, description, example, byDefault, isRequired, choices } = setting
  console.log(`\n${name}${isRequired ? ' (required)' : ''}`)
  if (description !== '') console.log(`  ${description}`)
  if (choices.length > 0) console.log(`  One of: ${choices.join(', ')}`)
  if (example !== undefined) console.log(`  Example: ${writeAnswer(setting, example)}`)
  if (byDefault !== undefined) console.log(`  Default: ${writeAnswer(setting, byDefault)}`)
  for (;;) {
    const answer = await questions.ask(`${name} [${writeAnswer(setting, current)}]: `)
    if (answer === null) throw new ServiceError('bad_input', `the answers ended at ${name}: nothing was saved`)
    const problem = findAnswerProblem(setting, answer, current)
    if (typeof problem !== 'string') return problem.value
    console.log(`  ${problem}`)
  }
}

const findAnswerProblem = (setting: Setting, answer: string, current: unknown): string | { value: unknown } => {
  try {
    const value = answer === '' ? current : answer === '-' ? undefined : readAnswer(setting, answer)
    if (value === undefined) return setting.isRequired ? `${setting.name} is required` : { value }
    return findProblem(setting.schema as TSchema, value, setting.name) ?? { value }
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message
    throw error
  }
}
