import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { bodyInOneWrite } from './body-in-one-write'

/** A smaller body fits into one packet anyway. */
export const MIN_BYTES = 1_024
/** Larger bodies are compressed in a separate thread. For smaller ones, the thread costs more than the compression. */
const MAX_BYTES_AT_ONCE = 65_536

/**
 * Content types to compress. Archives and tiles are already compressed, byte ranges must be sent unchanged, and events and exports are
 * streams.
 */
const TEXT = /^(application\/(([\w.]+\+)?json(?!-seq)|javascript)|text\/(?!event-stream|csv))/

export type Encoding = 'zstd' | 'gzip'

/** The encoding to use (RFC 9110, 12.5.3): zstd if the caller accepts it, because it is faster; otherwise gzip; otherwise null. */
export const chooseEncoding = ({ headers }: Request): Encoding | null => {
  const asked = headers.get('accept-encoding')
  if (asked === null) return null
  const accepted = new Negotiator({ headers: { 'accept-encoding': asked } }).encodings(['zstd', 'gzip'])
  if (accepted.includes('zstd')) return 'zstd'
  return accepted.includes('gzip') ? 'gzip' : null
}

/**
 * Compresses a text response when the caller accepts it. Levels are low: a response of 5,000 rows (1.2 MB) takes about 5 ms. A response
 * whose Vary already contains Accept-Encoding (static-response.ts) is left unchanged.
 */
export const compress = (request: Request, response: Response): Response | Promise<Response> => {
  const { headers, status } = response
  // A 304 has the same Vary as the 200 response (RFC 9110, 15.4.5).
  if (status !== 304 && !TEXT.test(headers.get('content-type') ?? '')) return response
  const vary = headers.get('vary')
  if (vary !== null && /accept-encoding/i.test(vary)) return response
  headers.append('vary', 'Accept-Encoding')
  const encoding = status === 304 ? null : chooseEncoding(request)
  return encoding === null ? response : compressBody(response, encoding)
}

const compressBody = async (response: Response, encoding: Encoding): Promise<Response> => {
  const { status, headers } = response
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.byteLength < MIN_BYTES) return new Response(bytes, { status, headers })
  headers.delete('content-length')
  headers.set('content-encoding', encoding)
  const compressed = bytes.byteLength > MAX_BYTES_AT_ONCE ? compressLarge : compressSmall
  return new Response(bodyInOneWrite(await compressed[encoding](bytes)), { status, headers })
}

type Bytes = Uint8Array<ArrayBuffer>

const compressSmall = {
  zstd: (bytes: Bytes): Bytes => new Uint8Array(Bun.zstdCompressSync(bytes, { level: 3 })),
  gzip: (bytes: Bytes) => Bun.gzipSync(bytes, { level: 3, library: 'libdeflate' }),
}

const gzipInThread = promisify(gzip)

const compressLarge = {
  zstd: async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await Bun.zstdCompress(bytes, { level: 3 })),
  gzip: async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await gzipInThread(bytes, { level: 3 })),
}
