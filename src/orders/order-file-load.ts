import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { FILE_VENDOR } from '../../core/sources/file-vendor'
import { lockSourceSettings } from '../../drizzle/queries/sources/sources'
import { orderWork } from '../../drizzle/queries/work/order-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import type { FilePlace } from '../loads/fetch-file'
import { checkFileSettings } from '../loads/file-settings'
import { getWholeFile } from '../loads/upload-file'
import { checkVendor, describeRetired } from '../scrape/configure-source'

interface Options {
  allowPrivateSources: boolean
}

/** The result before the first attempt. */
const FETCHING = { step: 'fetching' }

interface FileLoadOrder extends FilePlace {
  source: string
  /** Null: the settings of the source. */
  settings: Record<string, unknown> | null
  asOf: string | null
}

/**
 * Queues the load of a file into a source. Without a file or an address, loads the file at the source's own address. Returns the id of
 * the work.
 *
 * @throws ServiceError `not_found`; `bad_input` naming the field; `conflict` for a retired source, an incomplete upload, or while a file of the
 * source is queued or being loaded
 */
export const orderFileLoad = async (
  tx: Transaction,
  { source, settings, asOf, ...place }: FileLoadOrder,
  by: string,
  options: Options,
): Promise<string> => {
  if (asOf !== null && !isDate(asOf)) throw new ServiceError('bad_input', 'as_of must be a date, such as 2026-01-31')
  const stored = await lockSourceSettings(tx, source)
  if (stored === null) throw new ServiceError('not_found', `unknown source: ${source}`)
  if (stored.isRetired) throw new ServiceError('conflict', describeRetired(source))
  const isOfFiles = stored.vendor === FILE_VENDOR
  const own = isOfFiles && place.file_id === null && place.address === null ? stored.baseUrl : null
  if (own === '')
    throw new ServiceError('bad_input', `file is missing, and ${source} has no base_url to fetch one from`)
  const checked = await checkPlace(tx, { ...place, address: place.address ?? own }, options)
  const payload = {
    ...checked,
    as_of: asOf,
    is_due: false,
    settings:
      settings === null && isOfFiles
        ? checkFileSettings(stored.vendorConfig, 'vendor_config')
        : checkFileSettings(settings ?? {}, 'settings'),
  }
  const { id, isNew } = await orderWork(tx, {
    kind: WORK_KINDS.ingest,
    subject: source,
    source,
    payload,
    requestedBy: by,
    result: FETCHING,
  })
  if (!isNew) throw new ServiceError('conflict', `a file of ${source} is queued or being loaded already (work ${id})`)
  return id
}

/**
 * Queues a preview of a file. Returns the id of the work.
 *
 * @throws ServiceError `not_found`, `bad_input`, `conflict` as `orderFileLoad`
 */
export const orderPreview = async (
  tx: Transaction,
  { settings, ...place }: FilePlace & { settings: Record<string, unknown> },
  by: string,
  options: Options,
): Promise<string> => {
  const payload = { ...(await checkPlace(tx, place, options)), settings: checkFileSettings(settings, 'settings') }
  const order = { kind: WORK_KINDS.preview, subject: null, payload, requestedBy: by, result: FETCHING }
  const { id } = await orderWork(tx, order)
  return id
}

/** Whether a text is an existing date, which `2026-02-30` is not. */
const isDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const checkPlace = async (
  tx: Transaction,
  { file_id: file, address }: FilePlace,
  options: Options,
): Promise<FilePlace> => {
  if ((file === null) === (address === null))
    throw new ServiceError('bad_input', 'body must have file or address, and not both')
  if (file !== null) await getWholeFile(tx, file)
  if (address !== null) checkVendor({ vendor: FILE_VENDOR, baseUrl: address }, options, 'address')
  if (address === '') throw new ServiceError('bad_input', 'address must be the https URL of the file')
  return { file_id: file, address }
}
