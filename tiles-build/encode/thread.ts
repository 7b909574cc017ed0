import { closeSync, openSync } from 'node:fs'
import { describeFailure } from '../../core/concurrency/tasks'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { withSnapshot } from '../../drizzle/queries/tiles/tile-parcels'
import { type TileRun, writeArchive } from '../archive/archive'
import { createSpill, type Spill } from '../archive/spill'
import { createTileFile, type TileFile } from '../archive/tile-file'
import { verifyArchive } from '../archive/verify'
import type { Ask, FromThread, Handlers, StepCount, ThreadSetup, ToThread } from '../job'
import { type ReadCounts, readParcels } from '../read/read-parcels'
import { patchTiles } from '../update/patch-tiles'
import { readBucket } from './bucket'
import { makeTiles } from './make-tiles'
import { bucketTile } from './tile-math'

/** A build thread (thread-pool.ts). For each build it receives a setup, then one job at a time, then `end`. */
declare const self: Worker

const REPORT_EVERY_MS = 100
const createHandlers = (
  setup: ThreadSetup,
  report: (done: Partial<StepCount>) => void,
): { handlers: Handlers; close: () => void } => {
  const { layer, properties, read, spillFiles, tileFiles, thread } = setup
  let sql: Sql | null = null
  let spill: Spill | null = null
  let spills: number[] | null = null
  let tileFile: TileFile | null = null

  const handlers: Handlers = {
    read: async ({ snapshot, ...range }) => {
      sql ??= connectDatabase(setup.databaseUrl, { max: 1, applicationName: 'tiles-build', probed: true })
      spill ??= createSpill(spillFiles[thread] as string)
      let counts: ReadCounts | undefined
      const to = spill
      await withSnapshot(sql, snapshot, async (tx) => {
        counts = await readParcels(tx, range, read, to)
      })
      if (counts === undefined) throw new Error('the range was not read')
      report({ parcels: counts.parcels, steps: counts.steps })
      return counts
    },

    endRead: async () => {
      await sql?.end()
      return (spill ?? createSpill(spillFiles[thread] as string)).end()
    },

    tiles: async ({ bucket: id, zooms, chunks }) => {
      spills ??= spillFiles.map((path) => openSync(path, 'r'))
      tileFile ??= createTileFile(tileFiles[thread] as string, thread)
      const to = tileFile
      const bucket = readBucket(spills, chunks, read.columns.length)
      const runs: TileRun[] = []
      makeTiles(
        bucket,
        layer,
        properties,
        read.columns,
        { ...bucketTile(id), maxZoom: read.maxZoom, zooms },
        (tileId, tile) => {
          to.add(tileId, tile)
          report({ tiles: 1 })
        },
        () => {
          runs.push(to.endRun())
          report({ steps: bucket.starts.length })
        },
      )
      // The garbage of one bucket is as large as the next bucket: this takes 2% more CPU time, and a quarter off the peak (2026-11-23).
      Bun.gc(true)
      return runs
    },

    patch: async (job) => {
      tileFile ??= createTileFile(tileFiles[thread] as string, thread)
      const to = tileFile
      return patchTiles(job, { layer, keys: properties, columns: read.columns, maxZoom: read.maxZoom }, to, () =>
        report({ tiles: 1 }),
      )
    },

    archive: async ({ path, files, runs, fields }) => {
      tileFile?.close()
      tileFile = null
      const written = writeArchive(path, files, runs, fields)
      await verifyArchive(path, { ...written, ...fields, layer, parcelsMinZoom: read.minZoom })
      return written
    },
  }
  /** Closes the files. An open file would keep its space on the disk after it is deleted. */
  const close = () => {
    tileFile?.close()
    for (const file of spills ?? []) closeSync(file)
  }
  return { handlers, close }
}

const post = (message: FromThread) => self.postMessage(message)

const createReporter = () => {
  let done: StepCount = { parcels: 0, steps: 0, tiles: 0 }
  let reportedAt = performance.now()
  const flush = () => {
    post({ kind: 'progress', done })
    done = { parcels: 0, steps: 0, tiles: 0 }
    reportedAt = performance.now()
  }
  const report = ({ parcels = 0, steps = 0, tiles = 0 }: Partial<StepCount>) => {
    done.parcels += parcels
    done.steps += steps
    done.tiles += tiles
    if (performance.now() - reportedAt >= REPORT_EVERY_MS) flush()
  }
  return { report, flush }
}

const { report, flush } = createReporter()
let build: ReturnType<typeof createHandlers> | null = null

const handle = ({ job, ask }: Ask): Promise<unknown> => {
  if (build === null) throw new Error('the thread received a job before its setup')
  // `Ask` pairs each job with the type of its question, but TypeScript cannot follow that in one expression.
  return (build.handlers[job] as (ask: unknown) => Promise<unknown>)(ask)
}

self.onmessage = async ({ data }: MessageEvent<ToThread>) => {
  try {
    if (data === 'end') {
      build?.close()
      build = null
      Bun.gc(true)
      return
    }
    if (!('job' in data)) {
      build = createHandlers(data, report)
      return
    }
    const answer = await handle(data)
    flush()
    post({ kind: 'answer', answer })
  } catch (error) {
    post({ kind: 'failed', ...describeFailure(error) })
  }
}
