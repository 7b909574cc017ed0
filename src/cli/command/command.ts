import { describeTransient, isTransient } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'

/** The command line is invalid: prints the usage and exits with code 2. */
export class UsageError extends Error {}

/**
 * Runs a command. Expected failures print one line and exit with code 1, an invalid command line with code 2; a bug prints its stack.
 */
export const runCommand = async (run: () => Promise<void>): Promise<void> => {
  try {
    await run()
  } catch (error) {
    const line = describe(error)
    if (line === null) throw error
    console.error(line)
    process.exitCode = error instanceof UsageError || isArgumentError(error) ? 2 : 1
  }
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

/** What an operator has to mend in a server or on a disk. Null: something else. */
const describeServerOrDisk = (error: Error): string | null => {
  const code = 'code' in error ? String(error.code) : ''
  // The system's own codes do not say which server is meant.
  const ofServer = /^E[A-Z]+$/.test(code) ? 'a server cannot be reached' : describeTransient(error)
  const trouble = DISK[code] ?? (isTransient(error) ? ofServer : null)
  if (trouble !== null) return `${trouble} (${error.message || code})`
  return REFUSED.test(code) ? `PostgreSQL refuses DATABASE_URL: ${error.message}` : null
}

/** The errors of `parseArgs` in node:util. */
const isArgumentError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')

/** Without the hint on positional arguments, which hardly ever is the mistake. */
const describeArgumentError = ({ message }: Error): string =>
  `${message.replace(/\. To specify a positional argument[\s\S]*$/, '')}. --help lists the options`
