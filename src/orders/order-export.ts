import { bboxOf } from '../../core/geometry/bbox'
import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { countOpenExports, sumExportBytes } from '../../drizzle/queries/exports/exports'
import { orderWork } from '../../drizzle/queries/work/order-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import type { ExportRequest } from '../exports/export-request'

/** Maximum queued or running exports of one caller. They run one after the other. */
export const MAX_OPEN_EXPORTS = 10

/**
 * Queues an export to a file, and returns its id. `filter` is the filter as requested.
 *
 * @throws ServiceError `conflict` when the caller has too many, `exports_full` when the files of others fill the store
 */
export const orderExport = async (
  tx: Transaction,
  { filter: parcelFilter, fields, place, ...request }: ExportRequest,
  {
    filter,
    caller,
    actor,
    maxBytes,
  }: { filter: Record<string, unknown>; caller: string; actor: string; maxBytes: number },
): Promise<string> => {
  const open = await countOpenExports(tx, caller)
  if (open >= MAX_OPEN_EXPORTS) {
    const problem = `${MAX_OPEN_EXPORTS} exports of this key or account are queued or running: wait for one, or cancel one`
    throw new ServiceError('conflict', problem)
  }
  if ((await sumExportBytes(tx)) >= maxBytes) {
    throw new ServiceError('exports_full', 'the store of exports is full until older files expire: try again later')
  }
  const area = place === null ? {} : { place: { ...place, bbox: bboxOf(place.area) } }
  const payload = { ...request, fields: [...fields], filter, parcel_filter: { ...parcelFilter }, ...area }
  const kind = WORK_KINDS.parcelExport
  // Callers take turns: every caller's first export runs before any caller's second one.
  const order = { requestedBy: actor, orderingKey: caller, priority: -open }
  const { id } = await orderWork(tx, { kind, subject: null, payload, ...order })
  return id
}
