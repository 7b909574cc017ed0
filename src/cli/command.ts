import { ServiceError } from '../../core/service-error'

/** A command was called wrongly: it says how, and ends with code 2. */
export class UsageError extends Error {}

/**
 * Runs a command. What is expected to fail ends with one line and code 1, a wrong call with code 2; a bug keeps its stack.
 */
export const runCommand = async (run: () => Promise<void>): Promise<void> => {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ServiceError || isArgumentError(error))) throw error
    console.error(error.message)
    process.exitCode = error instanceof ServiceError ? 1 : 2
  }
}

/** What `parseArgs` of node:util throws. */
const isArgumentError = (error: unknown): error is Error =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
