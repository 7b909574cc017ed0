import { LIST_BOUNDS } from '../../core/bounds'
import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { countOtherUploads, storeUpload, type Upload } from '../../drizzle/queries/matches/uploads'

/**
 * Stores a list, or extends the lifetime of an identical one. Returns when it expires (ISO 8601).
 *
 * @throws ServiceError `conflict` if the owner has too many lists, or they are too large together
 */
export const addUpload = async (tx: Transaction, upload: Upload): Promise<string> => {
  const { most, storedBytes } = LIST_BOUNDS
  const others = await countOtherUploads(tx, upload)
  if (others.count >= most) throw tooMuch(`you have ${most} uploaded lists`)
  if (others.bytes + upload.content.byteLength > storedBytes) {
    throw tooMuch(`your uploaded lists would have more than ${storedBytes / 1024 / 1024} MiB together`)
  }
  return storeUpload(tx, upload)
}

const tooMuch = (problem: string) =>
  new ServiceError('conflict', `${problem}: delete a match, which deletes its list, or wait until a list expires`)
