import { join } from 'node:path'
import type { TileRun, WrittenArchive } from '../archive/archive'
import { startThreads, type ThreadPool } from '../encode/thread-pool'
import type { Jobs, PatchJob, ThreadSetup } from '../job'

/** The threads of an update. They start when it is known which tiles they have to draw. */
export interface PatchThreads {
  /** Starts the threads, which redraw tiles. Returns their files, and the runs in them once all tiles are drawn. Call it once. */
  start: (job: PatchJob) => { files: string[]; runs: Promise<TileRun[]> }
  /** Assembles the archive on one of the threads. */
  assemble: (ask: Jobs['archive']['ask']) => Promise<WrittenArchive>
  /** Leaves the threads to the next build, or stops those that are at work. */
  end: () => void
}

/** Enough jobs per thread to keep all threads busy until the end. */
const JOBS_PER_THREAD = 4
/** One thread draws this many tiles before another one has started. */
const TILES_PER_THREAD = 400

export const createPatchThreads = (
  setup: Omit<ThreadSetup, 'spillFiles' | 'tileFiles' | 'thread'>,
  folder: string,
  {
    mostThreads,
    onTiles,
    signal,
  }: {
    mostThreads: number
    /** Called with the number of tiles that were drawn, and their share of all, from 0 to 1. */
    onTiles: (drawn: number, share: number) => void
    signal: AbortSignal | undefined
  },
): PatchThreads => {
  let pool: ThreadPool | null = null
  const stop = () => pool?.stop()
  signal?.addEventListener('abort', stop)

  return {
    start({ tiles, ...job }) {
      const threads = Math.min(mostThreads, Math.ceil(tiles.length / TILES_PER_THREAD) || 1)
      // The number of a thread is that of its file.
      const files = Array.from({ length: threads }, (_, thread) => join(folder, `tiles-${thread}`))
      let drawn = 0
      const started = startThreads(
        files.map((_, thread) => ({ ...setup, spillFiles: [], tileFiles: files, thread })),
        (done) => {
          drawn += done.tiles
          onTiles(drawn, Math.min(1, drawn / Math.max(1, tiles.length)))
        },
      )
      pool = started
      if (signal?.aborted) stop()
      const parts = split(tiles, threads === 1 ? 1 : JOBS_PER_THREAD * threads)
      const answers = parts.map((part) => started.run('patch', { ...job, tiles: part }))
      const runs = Promise.all(answers).then((runsOfParts) => runsOfParts.flat())
      // If the update fails before it needs them, nobody waits for them.
      runs.catch(() => {})
      return { files, runs }
    },
    async assemble(ask) {
      if (pool === null) throw new Error('the threads were not started')
      return pool.run('archive', ask)
    },
    end() {
      signal?.removeEventListener('abort', stop)
      pool?.end()
    },
  }
}

const split = <Item>(items: readonly Item[], parts: number): Item[][] => {
  const size = Math.max(1, Math.ceil(items.length / parts))
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  )
}
