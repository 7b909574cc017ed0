import { UsageError } from './command'

/**
 * The action of a command, and its arguments. `actions` has the arguments of each action as the usage shows them: `NAME`,
 * `EMAIL free|paid`, `FOLDER [SOURCE...]`; '' if it takes none. No argument is ignored, because it may be a part of a name without quotes.
 *
 * @throws UsageError
 */
export const readAction = <Action extends string>(
  positionals: readonly string[],
  actions: Readonly<Record<Action, string>>,
  usage: string,
): { action: Action; given: readonly string[] } => {
  const [name, ...given] = positionals
  if (name === undefined) throw new UsageError(usage)
  if (!isActionOf(actions, name))
    throw new UsageError(`"${name}" is not one of ${Object.keys(actions).join(', ')}`, usage)
  const takes = actions[name] === '' ? [] : actions[name].split(' ')
  const missing = takes.find((argument, index) => !argument.startsWith('[') && (given[index] ?? '').trim() === '')
  if (missing !== undefined) throw new UsageError(`${missing} is missing: ${name} ${actions[name]}`, usage)
  const more = takes.some((argument) => argument.endsWith('...]')) ? undefined : given[takes.length]
  if (more !== undefined) {
    const what = takes.length === 0 ? 'no arguments' : `only ${actions[name]}; put quotes around text with spaces`
    throw new UsageError(`unexpected argument "${more}": ${name} takes ${what}`, usage)
  }
  return { action: name, given: given.map((argument) => argument.trim()) }
}

const isActionOf = <Action extends string>(actions: Readonly<Record<Action, string>>, name: string): name is Action =>
  Object.hasOwn(actions, name)
