import type { ArchiveFields, TileRun, WrittenArchive } from './archive/archive'
import type { Chunk } from './archive/spill'
import type { BucketChunk } from './publish/bucket'
import type { ReadCounts, ReadOptions } from './read/read-parcels'

/** What every thread of a build is told when it starts. */
export interface ThreadSetup {
  databaseUrl: string
  layer: string
  read: ReadOptions
  /** Files of all threads, by the number of the thread. This one writes to those of its own number. */
  spillFiles: readonly string[]
  tileFiles: readonly string[]
  thread: number
}

/** What a thread can be asked for, and what it answers. */
export interface Jobs {
  /** Parcels of a range of the table into the thread's spill file. */
  read: { ask: { snapshot: string; firstBlock: number; blocks: number }; answer: ReadCounts }
  /** Closes the spill file, and tells where in it what has been read lies. */
  endRead: { ask: null; answer: Chunk[] }
  /** A bucket's tiles of some zooms into the thread's tile file. */
  tiles: { ask: { bucket: number; zooms: readonly number[]; chunks: readonly BucketChunk[] }; answer: TileRun[] }
  /** The archive out of all threads' tile files, verified. */
  archive: { ask: { path: string; runs: readonly TileRun[]; fields: ArchiveFields }; answer: WrittenArchive }
}

export type JobName = keyof Jobs
export type Ask = { [Name in JobName]: { job: Name; ask: Jobs[Name]['ask'] } }[JobName]
export type Handlers = { [Name in JobName]: (ask: Jobs[Name]['ask']) => Promise<Jobs[Name]['answer']> }

/** What was done since the last such message. A parcel is one step when it is read, and one for each zoom. */
export interface StepCount {
  parcels: number
  steps: number
  tiles: number
}

export type FromThread =
  | { kind: 'progress'; done: StepCount }
  | { kind: 'answer'; answer: unknown }
  | { kind: 'failed'; code: string | null; message: string; stack: string }
