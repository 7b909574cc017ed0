import type { ArchiveName } from './archive-name'

export interface StoredArchive extends ArchiveName {
  sizeBytes: number
  storedAt: Date
}

export interface OpenArchive {
  sizeBytes: number
  /** Bytes from `start` up to but not including `end`, as a response body. */
  slice: (start: number, end: number) => Uint8Array<ArrayBuffer> | Blob | ReadableStream
}

/**
 * Stores tile archives, each as `<layer>/<hash>.pmtiles`, in a folder or an S3 bucket. Archives never change; they are
 * stored, read and removed. Every method throws ServiceError: `bad_input` for an invalid name,
 * `server_unavailable` when a bucket does not answer, `bad_config` when it denies access.
 */
export interface TileStore {
  /** The folder or the bucket, for messages. */
  readonly location: string
  /**
   * Moves the file at `path` into the store, atomically; `path` is gone afterwards.
   * An existing archive with that name is the same one. One caller at a time per layer.
   */
  put: (archive: ArchiveName, path: string) => Promise<void>
  /** Null: there is no such archive. */
  find: (archive: ArchiveName) => Promise<StoredArchive | null>
  /**
   * Bytes from `start` up to but not including `end`; fewer at the archive's end.
   *
   * @throws ServiceError `not_found`
   */
  read: (archive: ArchiveName, start: number, end: number) => Promise<Uint8Array>
  /**
   * Opens an archive for responses without loading it into memory; synchronously if possible. Null: there is no such archive.
   *
   * @throws ServiceError `archive_damaged` when its bytes do not match its hash. All bytes are read once, and again when
   *   the file looks different; its size is checked each time.
   */
  open: (archive: ArchiveName) => OpenArchive | null | Promise<OpenArchive | null>
  /** The archive's file; null in a bucket. */
  fileOf: (archive: ArchiveName) => string | null
  /** Whether the archive exists and its bytes match its hash. Reads all bytes the first time. */
  isWhole: (archive: ArchiveName) => Promise<boolean>
  /** The archives of a layer, in no particular order. */
  list: (layer: string) => Promise<StoredArchive[]>
  /** Removing a missing archive does nothing. */
  remove: (archive: ArchiveName) => Promise<void>
}
