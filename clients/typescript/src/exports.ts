import type { ByteStream } from './connection.js'
import { ParcelDataError } from './error.js'

/** One request for the rest of a file. */
export interface OpenedFile {
  status: number
  etag: string | null
  body: ByteStream
}

export interface Resumption {
  /** Requests the file from `start` on, if it is still the one with this ETag. */
  open: (start: number, etag: string | null) => Promise<OpenedFile>
  sizeBytes: number
  /** How often in a row the connection may break without a new byte. */
  maxRetries: number
  /** Waits before the next attempt. */
  wait: (retries: number) => Promise<void>
}

interface Reader {
  read: () => Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>
  cancel: (reason?: unknown) => Promise<void>
}

/** A file as one stream. When the connection breaks, it continues where it stopped. */
export const resumed = ({ open, sizeBytes, maxRetries, wait }: Resumption): ByteStream => {
  let reader: Reader | null = null
  let etag: string | null = null
  let received = 0
  let retries = 0

  const connect = async (): Promise<Reader> => {
    const file = await open(received, etag)
    if (received > 0 && file.status !== 206) {
      await file.body.cancel()
      throw new ParcelDataError('incomplete', 'the file of the export has changed during its download')
    }
    etag ??= file.etag
    return file.body.getReader()
  }
  /** The next part; null at the end. */
  const read = async (): Promise<Uint8Array<ArrayBuffer> | null> => {
    reader ??= await connect()
    const { done, value } = await reader.read()
    if (!done && value !== undefined) return value
    if (received >= sizeBytes) return null
    throw new ParcelDataError('network', `the connection closed after ${received} of ${sizeBytes} bytes`)
  }

  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        try {
          const part = await read()
          if (part === null) return controller.close()
          received += part.byteLength
          retries = 0
          return controller.enqueue(part)
        } catch (error) {
          reader = null
          const isBroken = error instanceof ParcelDataError && (error.code === 'network' || error.code === 'timeout')
          if (!isBroken || retries >= maxRetries) return controller.error(error)
          await wait(retries++)
        }
      }
    },
    cancel: (reason) => reader?.cancel(reason),
  })
}

/**
 * The lines of a stream of text.
 *
 * @throws ParcelDataError `network`, when the stream ends within a line
 */
export async function* linesOf(stream: ByteStream): AsyncGenerator<string, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') throw new ParcelDataError('network', 'the connection closed in the middle of a row')
  } finally {
    await reader.cancel().catch(() => {})
  }
}
