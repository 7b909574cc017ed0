import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { RawDocument } from '../../../adapters/adapter'
import { PAGE_SET_BOUNDS } from '../../../core/bounds'
import { ServiceError } from '../../../core/service-error'

/** One response of a portal in its stored form: without cookies, and with URLs free of secrets. */
export interface KeptAnswer extends Omit<RawDocument, 'fetchedAt'> {
  /** The request for this response. `url` above is the URL after redirects. */
  asked: { method: string; url: string }
}

/** All responses that one scrape of a parcel received, in the order of its requests. */
export interface PageSet {
  source: string
  sourceParcelId: string
  answers: KeptAnswer[]
}

export interface EncodedPageSet {
  /** SHA-256 of `bytes`: equal responses about a parcel have the same hash. */
  hash: string
  /** JSON of the `PageSet`. */
  bytes: Uint8Array<ArrayBuffer>
}

/** Null: the responses are too large to be stored. */
export const encodePageSet = ({ source, sourceParcelId, answers }: PageSet): EncodedPageSet | null => {
  // Counted first, because encoding runs in the service's thread.
  const characters = answers.reduce((sum, { body }) => sum + body.length, 0)
  if (characters > PAGE_SET_BOUNDS.characters) return null
  const bytes = new TextEncoder().encode(JSON.stringify({ source, sourceParcelId, answers }))
  return { hash: hashOf(bytes), bytes }
}

export const compressPageSet = (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> => Bun.zstdCompress(bytes)

const decompress = promisify(zstdDecompress)

/** @throws ServiceError `archive_damaged` when the bytes do not match the hash */
export const decodePageSet = async (hash: string, compressed: Uint8Array): Promise<PageSet> => {
  const bytes = await decompress(compressed, { maxOutputLength: PAGE_SET_BOUNDS.bytes }).catch((cause) => {
    throw damaged(hash, cause)
  })
  if (hashOf(bytes) !== hash) throw damaged(hash)
  return JSON.parse(bytes.toString('utf8')) as PageSet
}

const damaged = (hash: string, cause?: unknown) =>
  new ServiceError('archive_damaged', `the kept page ${hash} is damaged`, { cause })

const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** A page set as text for people. Each response follows a line with its name, URL and status. */
export const printPageSet = ({ answers }: PageSet): string =>
  answers
    .map(({ name, asked, url, status, headers, body }) => {
      const redirect = url === asked.url ? '' : ` -> ${url}`
      return `=== ${name}: ${asked.method} ${asked.url}${redirect} (${status}, ${headers['content-type'] ?? 'no type'})\n\n${body}\n`
    })
    .join('\n')
