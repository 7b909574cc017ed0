import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { FILE_BOUNDS } from '../../core/bounds'
import type { Sql, Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import {
  addFile,
  addFilePart,
  findStoredFile,
  lockFileRoom,
  readFilePart,
  type StoredFile,
  sumFileBytes,
} from '../../drizzle/queries/files/files'

/**
 * Announces a file that will be uploaded. Returns it as JSON text.
 *
 * @throws ServiceError `bad_input` if it is larger than the limit for all files together; `conflict` if the other files leave no room
 * for it
 */
export const beginFile = async (
  tx: Transaction,
  file: { name: string; sizeBytes: number; createdBy: string },
  { maxBytes }: { maxBytes: number },
): Promise<string> => {
  const { name, sizeBytes } = file
  if (sizeBytes > maxBytes) {
    const most = `${maxBytes} bytes (UPLOADS_MAX_MB)`
    throw new ServiceError('bad_input', `size_bytes: ${name} has ${sizeBytes} bytes, more than ${most}`)
  }
  await lockFileRoom(tx)
  const taken = await sumFileBytes(tx)
  if (taken + sizeBytes <= maxBytes) return addFile(tx, file)
  throw new ServiceError(
    'conflict',
    `there is no room for ${name}: other files take ${taken} of ${maxBytes} bytes (UPLOADS_MAX_MB). Delete one, or wait until one expires`,
  )
}

/**
 * Adds the next part of a file. The part that was added last can be sent again, because its response may have been lost.
 *
 * @throws ServiceError `not_found`; `conflict` with the offset of the next part; `bad_input` if the part is empty or too long
 */
export const addPart = async (
  tx: Transaction,
  id: string,
  { start, content }: { start: number; content: Uint8Array },
): Promise<void> => {
  const file = await getFile(tx, id, { locked: true })
  const end = start + content.byteLength
  if (content.byteLength === 0) throw new ServiceError('bad_input', 'the part is empty')
  if (end > file.sizeBytes)
    throw new ServiceError('bad_input', `the part ends at ${end}, and the file has ${file.sizeBytes} bytes`)
  if (end === file.receivedBytes && (await readFilePart(tx, id, start))?.byteLength === content.byteLength) return
  if (start !== file.receivedBytes) {
    throw new ServiceError('conflict', `offset must be ${file.receivedBytes}, the number of bytes received so far`)
  }
  await addFilePart(tx, id, { start, content })
}

/** @throws ServiceError `not_found` */
const getFile = async (db: Transaction | Sql, id: string, options = {}): Promise<StoredFile> => {
  const file = isUuid(id) ? await findStoredFile(db, id, options) : null
  if (file === null) throw new ServiceError('not_found', 'there is no such file, or it has expired')
  return file
}

/**
 * Returns a complete file.
 *
 * @throws ServiceError `not_found`; `conflict` if a part is missing
 */
export const getWholeFile = async (db: Transaction | Sql, id: string): Promise<StoredFile> => {
  const file = await getFile(db, id)
  if (file.receivedBytes === file.sizeBytes) return file
  throw new ServiceError(
    'conflict',
    `${file.name} is not complete: ${file.receivedBytes} of ${file.sizeBytes} bytes are here`,
  )
}

/** A name for the file on this machine's disk. Formats with several files are recognized by the extension. */
export const toFileName = (name: string): string =>
  name
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-FILE_BOUNDS.nameCharacters) || 'file'

/** Writes an uploaded file to `path`. @throws ServiceError `not_found` */
export const writeUploadedFile = async (sql: Sql, id: string, path: string, signal: AbortSignal): Promise<void> => {
  const { sizeBytes } = await getWholeFile(sql, id)
  const readParts = async function* () {
    for (let start = 0; start < sizeBytes; ) {
      const part = await readFilePart(sql, id, start)
      if (part === null) throw new ServiceError('not_found', 'the file was deleted')
      yield part
      start += part.byteLength
    }
  }
  await pipeline(readParts, createWriteStream(path), { signal })
}
