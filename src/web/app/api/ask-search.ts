import { ask } from './api'

/** While the service is overloaded, a search is repeated after 2, 4, 8 and 16 s. */
const REPEATS = 4
const FIRST_PAUSE_MS = 2_000

/**
 * The body of a response to a search. `isPartial`: the response has a `Warning`, so hits may be missing.
 *
 * @throws Refusal like `ask`
 */
export const askSearch = async <Data extends object>(
  call: Parameters<typeof ask<Data>>[0],
): Promise<Exclude<Data, Response | null> & { isPartial: boolean }> => {
  const body = await ask(call)
  const { response } = await call
  return { ...body, isPartial: response?.headers.has('warning') === true }
}

/** When to repeat a search that was answered `answers` times; false: not at all. */
export const repeatSearchAfterMs = (isPartial: boolean, answers: number): number | false =>
  isPartial && answers > 0 && answers <= REPEATS ? FIRST_PAUSE_MS * 2 ** (answers - 1) : false
