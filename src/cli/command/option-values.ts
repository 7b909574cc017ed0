import { UsageError } from './command'

/** One of the choices. `option`: its name as it is typed. `text` undefined: it is missing. @throws UsageError */
export const oneOf = <Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice => {
  const choice = choices.find((known) => known === text)
  if (choice !== undefined) return choice
  const given = text === undefined ? '' : `, not "${text}"`
  throw new UsageError(`${option} must be one of ${choices.join(', ')}${given}`)
}

/** A whole number in decimal digits. `option`: its name as it is typed. @throws UsageError */
export const wholeNumber = (option: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number => {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw new UsageError(`${option} must be a whole number ${range}, not "${text}"`)
}
