import { hasLateRequests } from '../../../core/bucket'
import { describeTransient, isSessionRefused, isTransient } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'
import { guardConsole } from '../terminal/guard-console'
import { isStopped } from './stop-signal'

/** The exit code after Ctrl-C, as a shell reports it. */
const STOPPED_CODE = 130

/** The command line is invalid: prints `problem` and exits with code 2. A usage comes first, so that a terminal shows the problem. */
export class UsageError extends Error {
  constructor(problem: string, usage = '') {
    super([usage, problem].filter((text) => text !== '').join('\n\n'))
  }
}

/**
 * Reads an argument. If it is refused, the command line is invalid. `option` begins the message; '' if the message names the argument.
 *
 * @throws UsageError
 */
export const orUsageError = async <Result>(option: string, read: () => Result | Promise<Result>): Promise<Result> => {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new UsageError(option === '' ? error.message : `${option}: ${error.message}`)
  }
}

/**
 * Runs a command. Expected failures print one line and exit with code 1, an invalid command line with code 2, a command that was stopped
 * with code 130; a bug prints its stack.
 */
export const runCommand = async (run: () => Promise<void>): Promise<void> => {
  guardConsole()
  try {
    await run()
    if (isStopped()) process.exitCode ??= STOPPED_CODE
  } catch (error) {
    const line = describe(error)
    if (line === null) throw error
    console.error(line)
    process.exitCode = error instanceof UsageError || isArgumentError(error) ? 2 : isStopped() ? STOPPED_CODE : 1
  }
  if (hasLateRequests()) process.exit()
}

/** An expected failure in one line. Null: a bug. */
const describe = (error: unknown): string | null => {
  if (error instanceof UsageError || error instanceof ServiceError) return error.message
  if (isArgumentError(error)) return describeArgumentError(error)
  return error instanceof Error ? describeServerOrDisk(error) : null
}

/** Errors of a disk, by their code: Linux, and SQLite. */
const DISK: Readonly<Record<string, string>> = {
  EDQUOT: 'the disk is full',
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  EACCES: 'a file cannot be used',
  EPERM: 'a file cannot be used',
  EROFS: 'the disk is read-only',
}

/**
 * SQLSTATE of a server that refuses the service: invalid authorization (class 28), missing database, denied privilege (Appendix A of the
 * manual).
 */
const REFUSED = /^(?:28...|3D000|42501)$/

/** Whether the server refuses the service. It also ends a session at its start if a parameter of the URL is unknown. */
const isRefused = (error: Error, code: string): boolean => REFUSED.test(code) || isSessionRefused(error)

/** A problem with a server or a disk that the operator must fix. Null: another error. */
const describeServerOrDisk = (error: Error): string | null => {
  const code = 'code' in error ? String(error.code) : ''
  // The system's own codes do not say which server is meant.
  const ofServer = /^E[A-Z]+$/.test(code) ? 'a server cannot be reached' : describeTransient(error)
  const trouble = DISK[code] ?? (isTransient(error) ? ofServer : null)
  if (trouble !== null) return `${trouble} (${error.message || code})`
  return isRefused(error, code) ? `PostgreSQL refuses DATABASE_URL: ${error.message}` : null
}

/** The errors of `parseArgs` in node:util. */
const isArgumentError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')

/** Names the option. The messages of `parseArgs` are longer, and some have several lines. */
const describeArgumentError = (error: Error): string => {
  const [, name = ''] = /'(-[^\s'=]*|[^']*)/.exec(error.message) ?? []
  const code = 'code' in error ? error.code : ''
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `unknown option ${name}. --help lists the options`
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL')
    return `unexpected argument "${name}": this command takes only options. --help lists them`
  if (error.message.includes('does not take an argument')) return `${name} takes no value`
  const isAmbiguous = error.message.includes('ambiguous')
  return `${name} needs a value${isAmbiguous ? `. Write a value that begins with - as ${name}=-1` : ''}. --help lists the options`
}
