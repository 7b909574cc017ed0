import { UsageError } from './command'

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
  const status = statuses.find((known) => known === given)
  if (given !== undefined && status === undefined)
    throw new UsageError(`--status must be one of ${statuses.join(', ')}, not "${given}"`)
  const limit = Number(count)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED)
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LISTED}, not "${count}"`)
  return { status, source, limit }
}
