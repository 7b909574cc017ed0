import { atMostEvery } from '../../core/concurrency/at-most-every'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { compareListInThread } from '../matches/compare-list'
import type { WorkRunner } from './runner'

/** One list is kept in memory and keeps one CPU core busy. */
const MAX_AT_ONCE = 1
const REPORT_EVERY_MS = 500

/** Compares lists with the parcels. An interrupted list is compared again from its beginning. */
export const createMatchRunner = ({ databaseUrl }: { databaseUrl: string }): WorkRunner => ({
  kind: WORK_KINDS.match,
  mostAtOnce: MAX_AT_ONCE,
  mostFailures: 3,
  run: ({ id, attempt }, { signal, advance }) => {
    const isDue = atMostEvery(REPORT_EVERY_MS)
    return compareListInThread(
      { databaseUrl, id, attempt },
      {
        signal,
        onProgress: async ({ done, total, rows }) => {
          if (isDue() || done >= total) await advance({ done, total, result: { rows } })
        },
      },
    )
  },
})
