import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { ServiceError } from '../../../core/service-error'

/** Large enough that the cost of passing it between threads is negligible, small enough for memory. */
const CHUNK_BYTES = 1 << 18

/**
 * The bytes of a file, a chunk at a time, decompressed if they are gzip (recognized by the first two bytes, RFC 1952, not by the
 * name). `onRead` is called with the bytes of the file itself that have been read, for a progress bar.
 *
 * @throws ServiceError `bad_input`: no such file, or gzip that is damaged or truncated.
 */
export async function* readBytes(file: string, onRead: (bytes: number) => void = () => {}): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES })
  let read = 0
  source.on('data', (chunk) => {
    read += chunk.length
    onRead(read)
  })
  if (!isGzip(file)) {
    yield* source
    return
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  try {
    yield* gunzip
  } catch (error) {
    if (!isZlibError(error)) throw error
    const what = error.code === 'Z_BUF_ERROR' ? 'is cut off' : `is damaged (${error.message})`
    throw new ServiceError('bad_input', `${basename(file)}: the gzip stream ${what}: the rest of the file is missing`, {
      cause: error,
    })
  } finally {
    source.destroy()
  }
}

/** Size of the file on disk in bytes; 0 for a folder. @throws ServiceError `bad_input` when it does not exist or is not a file. */
export const fileSize = (file: string): number => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) throw new ServiceError('bad_input', `${file}: no such file`)
  if (stats.isDirectory()) return 0
  if (!stats.isFile()) throw new ServiceError('bad_input', `${file} is not a file`)
  return stats.size
}

export const isGzip = (file: string): boolean => {
  const descriptor = openSync(file, 'r')
  try {
    const head = new Uint8Array(2)
    return readSync(descriptor, head, 0, 2, 0) === 2 && head[0] === 0x1f && head[1] === 0x8b
  } finally {
    closeSync(descriptor)
  }
}

const isZlibError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')
