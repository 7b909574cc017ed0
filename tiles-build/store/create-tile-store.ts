import { type BucketOptions, isBucket } from '../../core/bucket'
import { createBucketStore } from './bucket-store'
import { createFolderStore } from './folder-store'
import type { TileStore } from './tile-store'

/**
 * Opens the store at `TILES_URL`: a folder, or `s3://bucket/prefix`. A bucket's endpoint, region
 * and credentials come from `options`, else from the environment, under the usual names (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, ...).
 */
export const createTileStore = (url: string, options: BucketOptions = {}): TileStore =>
  isBucket(url) ? createBucketStore(url, options) : createFolderStore(url)
