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
    if (!(error instanceof UsageError || error instanceof ServiceError || isArgumentError(error))) throw error
    console.error(error instanceof TypeError ? describeArgumentError(error) : error.message)
    process.exitCode = error instanceof ServiceError ? 1 : 2
  }
}

/** The errors of `parseArgs` in node:util. */
const isArgumentError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')

/** Without the hint on positional arguments, which hardly ever is the mistake. */
const describeArgumentError = ({ message }: Error): string =>
  `${message.replace(/\. To specify a positional argument[\s\S]*$/, '')}. --help lists the options`
