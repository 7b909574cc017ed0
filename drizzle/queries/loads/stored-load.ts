import type { LoadedColumn } from '../../../core/parcels/fields'
import type { Db, Transaction } from '../../../core/postgres/database'
import type { LoadCounts, LoadVerdict } from '../../schema/parcels/loads'
import type { LoadKind, LoadStatus } from '../../schema/values'

export interface StoredLoad {
  id: string
  source: string
  kind: LoadKind
  status: LoadStatus
  isComplete: boolean
  asOf: string | null
  cleared: LoadedColumn[]
  counts: LoadCounts | null
  verdict: LoadVerdict | null
  /** Whether the load was read completely and compared. */
  isJudged: boolean
}

const columns = (db: Db) => db`
  id, source, kind, status, is_complete as "isComplete", as_of::text as "asOf", cleared, counts, verdict, judged_at is not null as "isJudged"`

/** Locks a load until the transaction ends. Null: there is none with this id. */
export const lockLoad = async (tx: Transaction, id: string): Promise<StoredLoad | null> => {
  const [load] = await tx<StoredLoad[]>`select ${columns(tx)} from loads where id = ${id} for no key update`
  return load ?? null
}

/** A load without locking it. Null: there is none with this id. */
export const findStoredLoad = async (db: Db, id: string): Promise<StoredLoad | null> => {
  const [load] = await db<StoredLoad[]>`select ${columns(db)} from loads where id = ${id}`
  return load ?? null
}

/**
 * The load of an earlier attempt at the work `workId`, which another process applied after the attempt was lost. `id` is the load of this
 * attempt, which read the same file for the same caller. Null: there is none that changed a parcel.
 */
export const findEarlierLoad = async (
  db: Db,
  { workId, id }: { workId: string; id: string },
): Promise<{ id: string; counts: LoadCounts } | null> => {
  const [earlier] = await db<{ id: string; counts: LoadCounts }[]>`
    select e.id, e.counts
    from loads l join loads e using (source, kind, file, created_by) join work w on w.id = ${workId}
    where l.id = ${id} and e.id < l.id and e.status = 'applied' and e.created_at >= w.started_at
      and (e.counts ->> 'inserted')::int + (e.counts ->> 'updated')::int + (e.counts ->> 'retired')::int > 0
    order by e.id desc limit 1`
  return earlier ?? null
}
