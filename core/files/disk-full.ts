import { hasCode } from '../error-code'

export const DISK_IS_FULL = 'the disk is full'

/** Whether a write failed because its disk, or the quota of its user, has no room. The codes are those of the system and of SQLite. */
export const isDiskFull = (error: unknown): boolean => hasCode(error, 'ENOSPC', 'EDQUOT', 'SQLITE_FULL')
