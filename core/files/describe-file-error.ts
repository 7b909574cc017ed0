import { codeOf } from '../error-code'
import { DISK_IS_FULL } from './disk-full'

/** What is wrong with a file that somebody named, by the code of the error. */
const PROBLEMS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no ${path}`,
  ENOTDIR: (path) => `there is no ${path}`,
  EISDIR: (path) => `${path} is a folder`,
  EEXIST: (path) => `${path} is a file, not a folder`,
  EACCES: (path) => `${path} is not readable or writable for this user`,
  EPERM: (path) => `${path} is not readable or writable for this user`,
  EROFS: (path) => `${path} is on a read-only disk`,
  ENOSPC: () => DISK_IS_FULL,
  EDQUOT: () => DISK_IS_FULL,
}

/** Says in words why a file cannot be read or written. Null: `error` is not about the file. */
export const describeFileError = (error: unknown, path: string): string | null =>
  PROBLEMS[codeOf(error) ?? '']?.(path) ?? null
