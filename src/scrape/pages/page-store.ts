import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BucketOptions, isBucket, openBucket } from '../../../core/bucket'
import { hasCode } from '../../../core/error-code'
import { ServiceError } from '../../../core/service-error'

/**
 * Stores kept pages in a folder or an S3 bucket, each as `<first two digits>/<hash>.json.zst`. Every method throws ServiceError:
 * `bad_input` for an invalid hash, `server_unavailable` when a bucket does not answer, `bad_config` when it denies access.
 */
export interface PageStore {
  /** The folder or the bucket, for messages. */
  readonly location: string
  /** A killed process can leave incomplete bytes in a folder. The page's row says whether they are complete. */
  put: (hash: string, bytes: Uint8Array) => Promise<void>
  /** Null: there is no such page. */
  get: (hash: string) => Promise<Uint8Array | null>
  /** Removing a missing page does nothing. */
  remove: (hash: string) => Promise<void>
}

/** Opens the store at `PAGES_URL`. `options` as in `openBucket`. */
export const createPageStore = (url: string, options: BucketOptions = {}): PageStore =>
  isBucket(url) ? createBucketStore(url, options) : createFolderStore(url)

const HASH = /^[0-9a-f]{64}$/

export const isPageHash = (hash: string): boolean => HASH.test(hash)

/** @throws ServiceError `bad_input` */
const keyOf = (hash: string): string => {
  if (!isPageHash(hash)) throw new ServiceError('bad_input', `no page is called ${JSON.stringify(hash)}`)
  return `${hash.slice(0, 2)}/${hash}.json.zst`
}

const createFolderStore = (folder: string): PageStore => ({
  location: folder,
  put: async (hash, bytes) => {
    const place = join(folder, keyOf(hash))
    await Bun.write(place, bytes)
  },
  get: async (hash) => {
    try {
      return await Bun.file(join(folder, keyOf(hash))).bytes()
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
      throw error
    }
  },
  remove: async (hash) => {
    const place = join(folder, keyOf(hash))
    await rm(place, { force: true })
  },
})

const createBucketStore = (url: string, options: BucketOptions): PageStore => {
  const { file, ask } = openBucket(url, 'the page store', options)
  return {
    location: url,
    put: async (hash, bytes) => {
      const object = file(keyOf(hash))
      await ask(() => object.write(bytes, { type: 'application/zstd' }), bytes.byteLength)
    },
    get: (hash) => {
      const object = file(keyOf(hash))
      return ask(() => object.bytes())
    },
    remove: async (hash) => {
      const object = file(keyOf(hash))
      await ask(() => object.delete())
    },
  }
}
