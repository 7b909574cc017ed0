import { DISK_IS_FULL, isDiskFull } from '../../core/files/disk-full'
import { ServiceError } from '../../core/service-error'

/** Runs `write`. @throws ServiceError `exports_full` when a disk has no room for what it writes */
export const namingFullDisk = async <Result>(write: () => Promise<Result>): Promise<Result> => {
  try {
    return await write()
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new ServiceError('exports_full', `${DISK_IS_FULL}: there is no room for this export`, { cause })
  }
}
