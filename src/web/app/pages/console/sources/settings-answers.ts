import {
  findValue,
  readAnswer,
  type Setting,
  UnreadableAnswer,
  withValue,
  writeAnswer,
} from '../../../../../../core/schema/settings'

export type Config = Record<string, unknown>

/** The texts of the fields that were edited, by the name of the setting. */
export type Answers = Readonly<Record<string, string>>

/** What the field of a setting shows: what was typed, or the stored value. */
export const answerOf = (setting: Setting, answers: Answers, config: Config): string =>
  answers[setting.name] ?? writeAnswer(setting, findValue(config, setting))

/** The `vendor_config` that the answers make, and what is wrong with answers, by field. */
export const readAnswers = (
  settings: readonly Setting[],
  answers: Answers,
  before: Config,
): { config: Config; problems: Map<string, string> } => {
  let config = before
  const problems = new Map<string, string>()
  for (const setting of settings) {
    const text = answerOf(setting, answers, before)
    // A value that was not edited stays as it is, in its place.
    if (text === writeAnswer(setting, findValue(before, setting))) continue
    try {
      config = withValue(config, setting, readAnswer(setting, text))
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error
      problems.set(setting.name, error.message)
    }
  }
  return { config, problems }
}

/** The problems that the service found, by field. It names the field at the beginning of a line: "vendor_config.labels.address must be …". */
export const problemsIn = (message: string, settings: readonly Setting[]): Map<string, string> => {
  const lines = message.split('\n').filter((line) => line.startsWith('vendor_config'))
  const problems = new Map<string, string>()
  for (const { name } of settings) {
    const isAbout = new RegExp(`^vendor_config\\.${name.replaceAll('.', '\\.')}\\b`)
    const problem = lines.find((line) => isAbout.test(line))
    if (problem !== undefined) problems.set(name, problem)
  }
  return problems
}
