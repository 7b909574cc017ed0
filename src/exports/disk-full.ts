import { hasCode } from '../../core/bucket'
import { ServiceError } from '../../core/service-error'

/** Error codes of the system and of SQLite. */
const CODES = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'] as const

/** Runs `write`. @throws ServiceError `exports_full` when a disk has no room for what it writes */
export const namingFullDisk = async <Result>(write: () => Promise<Result>): Promise<Result> => {
  try {
    return await write()
  } catch (cause) {
    if (!hasCode(cause, ...CODES)) throw cause
    throw new ServiceError('exports_full', 'the disk is full: there is no room for this export', { cause })
  }
}
