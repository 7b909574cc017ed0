import type { TaskFailure } from '../core/concurrency/tasks'
import type { ArchiveFields, TileRun, WrittenArchive } from './archive/archive'
import type { Chunk } from './archive/spill'
import type { BucketChunk } from './encode/bucket'
import type { ReadCounts, ReadOptions } from './read/read-parcels'

/** The first message to every thread of a build. */
export interface ThreadSetup {
  databaseUrl: string
  layer: string
  properties: readonly string[]
  read: ReadOptions
  /** Files of all threads, by thread number. This thread writes to those with its own number. */
  spillFiles: readonly string[]
  tileFiles: readonly string[]
  thread: number
}

/** The requests to a thread, and its replies. */
export interface Jobs {
  /** Reads parcels of a range of the table into the thread's spill file. */
  read: { ask: { snapshot: string; firstBlock: number; blocks: number }; answer: ReadCounts }
  /** Closes the spill file, and returns the positions of the records. */
  endRead: { ask: null; answer: Chunk[] }
  /** Writes a bucket's tiles of some zooms into the thread's tile file. */
  tiles: { ask: { bucket: number; zooms: readonly number[]; chunks: readonly BucketChunk[] }; answer: TileRun[] }
  /** Redraws tiles of the published archive into the thread's tile file. */
  patch: { ask: PatchJob; answer: TileRun[] }
  /** Assembles the archive from tile files, and verifies it. */
  archive: {
    ask: { path: string; files: readonly string[]; runs: readonly TileRun[]; fields: ArchiveFields }
    answer: WrittenArchive
  }
}

export interface PatchJob {
  archive: string
  /** The records of the changed parcels that are drawn. */
  records: Uint8Array<ArrayBuffer>
  /** All parcels that changed. */
  changed: readonly { sortKey: string; featureId: number }[]
  /** In the order of their ids. A length of 0: the archive has no such tile. `records`: positions in the sorted bucket. */
  tiles: readonly { tileId: number; offsetBytes: number; length: number; records: readonly number[] }[]
}

export type JobName = keyof Jobs
export type Ask = { [Name in JobName]: { job: Name; ask: Jobs[Name]['ask'] } }[JobName]
export type Handlers = { [Name in JobName]: (ask: Jobs[Name]['ask']) => Promise<Jobs[Name]['answer']> }

/** Work done since the last such message. A parcel counts once when it is read, and once per zoom. */
export interface StepCount {
  parcels: number
  steps: number
  tiles: number
}

/** What a thread receives: the setup of a build, its jobs, and its end. */
export type ToThread = ThreadSetup | Ask | 'end'

export type FromThread =
  | { kind: 'progress'; done: StepCount }
  | { kind: 'answer'; answer: unknown }
  | ({ kind: 'failed' } & TaskFailure)
