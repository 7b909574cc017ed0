import { toMessage } from '../../../core/bounds'
import { once } from '../../../core/concurrency/once'
import type { UpsertCounts } from '../../../drizzle/records'
import type { ReadingOptions } from '../reading-options'
import { Places } from '../rows/places'
import type { Rejects } from '../rows/rejects-file'
import { isDamage } from '../rows/unreadable-file'
import { Batches } from '../writing/batches'
import { writeBatch } from '../writing/write-batch'
import { describeAbandoned, describeDamaged } from './describe-failure'
import type { Kind } from './kind'
import { RecordReader } from './record-reader'
import { RejectedRows } from './rejected-rows'
import type { Counts, IngestSummary } from './summary'

export interface PipelineOptions extends ReadingOptions {
  rejects: Rejects
  say?: (line: string) => void
  retryForMs?: number
  /** Called once, before the first record is written. */
  beforeWriting?: () => Promise<void>
  /** If true, a damaged file is not loaded in part. */
  isComplete?: boolean
  /** Reads only the first rows. */
  maxRows?: number
}

export const retryOf = ({ say, retryForMs = 60_000 }: Pick<PipelineOptions, 'say' | 'retryForMs'>) => ({
  onWaiting: say ?? (() => {}),
  retryForMs,
})

/** read → map → drop, number or merge duplicates → batch → upsert, with reading and writing in parallel. */
export const runPipeline = async <Item>(options: PipelineOptions, kind: Kind<Item>): Promise<IngestSummary> => {
  const startedAt = performance.now()
  const { signal, maxRows = Number.POSITIVE_INFINITY } = options
  const places = new Places([options.file].flat().length > 1)
  const rejected = new RejectedRows(options.rejects, places, kind.onRejected)
  using records = new RecordReader<Item>(options, kind, places, rejected)
  const written: UpsertCounts = { inserted: 0, updated: 0, unchanged: 0 }
  const batches = createBatches(options, kind, { records, rejected, written })
  const count = (): Counts => ({
    read: records.read,
    ...written,
    rejected: rejected.count,
    retired: 0,
    merged: records.merged,
    withoutGeometry: records.withoutGeometry,
  })
  const finish = (isStopped: boolean) =>
    kind.finish(count(), { isStopped, reject: (line, reason, id) => rejected.add(line, reason, id) })
  /** The files have more rows than `maxRows`. */
  let hasMore = false
  try {
    await records.countIds()
    reading: for await (const rows of records.rows()) {
      if (signal?.aborted) break
      for (const row of rows) {
        hasMore = records.read >= maxRows
        if (hasMore) break reading
        const item = records.accept(row)
        if (item !== null && batches.add({ line: row.line, item })) await batches.flush()
      }
    }
    if (!signal?.aborted) {
      for (const placed of records.settleRepeated()) if (batches.add(placed)) await batches.flush()
    }
    await batches.end()
  } catch (error) {
    if (!isDamage(error) || options.isComplete === true || records.read === 0) {
      await batches.settle()
      throw describeAbandoned(error, written.inserted, await kind.abandon(toMessage(String(error))))
    }
    // The rows before the damage are loaded.
    await batches.end()
    throw describeDamaged(error, { ...count(), ...(await finish(false)) })
  }
  const isStopped = (signal?.aborted ?? false) || hasMore
  const end = await finish(isStopped)
  return {
    ...count(),
    ...end,
    repaired: records.shapes.repaired,
    durationMs: performance.now() - startedAt,
    stopped: isStopped,
    notes: records.notes(),
    warnings: records.warnings(),
  }
}

/** Batches of records that are written while the next ones are read. `written` counts them. */
const createBatches = <Item>(
  options: PipelineOptions,
  kind: Kind<Item>,
  { records, rejected, written }: { records: RecordReader<Item>; rejected: RejectedRows; written: UpsertCounts },
): Batches<Item> => {
  const prepare = once(options.beforeWriting ?? (async () => {}))
  let cleared: string[] | null = null
  return new Batches<Item>(kind.sizeOf, (batch) => {
    cleared ??= records.columns.decideCleared()
    const fields = cleared
    return writeBatch(batch, {
      upsert: async (items) => {
        await prepare()
        return await kind.upsert(items, fields)
      },
      onWritten: ({ inserted, updated, unchanged }) => {
        written.inserted += inserted
        written.updated += updated
        written.unchanged += unchanged
      },
      onRefused: ({ line, item }, reason) => rejected.add(line, reason, kind.idOf(item)),
      ...retryOf(options),
    })
  })
}
