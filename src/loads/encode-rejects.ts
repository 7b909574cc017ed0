import { csvCell } from '../../core/text/csv-cell'
import type { RejectedRecord } from '../../drizzle/queries/work/add-rejects'

export const REJECTS_HEADER = 'line,reason,source_parcel_id'

/** A CSV of rejected records. */
export const encodeRejects = (rejects: readonly RejectedRecord[]): string => {
  const lines = rejects.map(({ what, place, reason }) => [place ?? '', reason, what].map(csvCell).join(','))
  return [REJECTS_HEADER, ...lines, ''].join('\r\n')
}
