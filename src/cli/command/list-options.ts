import { oneOf, wholeNumber } from './option-values'

const MAX_LISTED = 500

/** The options of commands that list rows, for `parseArgs`. */
export const LIST_OPTIONS = {
  status: { type: 'string' },
  source: { type: 'string' },
  limit: { type: 'string', default: '50' },
} as const

export interface ListOptions<Status> {
  status: Status | undefined
  source: string | undefined
  limit: number
}

/** @throws UsageError */
export const readListOptions = <Status extends string>(
  { status: given, source, limit: count }: { status?: string | undefined; source?: string | undefined; limit: string },
  statuses: readonly Status[],
): ListOptions<Status> => {
  const status = given === undefined ? undefined : oneOf('--status', given, statuses)
  return { status, source, limit: wholeNumber('--limit', count, 1, MAX_LISTED) }
}
