import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'
import type { StateSet } from '../../../core/state-set'

/** The queue of an instance of Meilisearch: the changes of documents in these states. */
export interface InstanceQueue {
  /** Its host and port. */
  name: string
  states: StateSet
}

/**
 * Moves the oldest `limit` changes to the queues of their instances, and returns how many it moved. A change goes to the instance that
 * has the document's state. It goes to all instances if the document is gone or has moved between states. Several processes may do this
 * at the same time.
 */
export const routeChanges = async (db: Db, queues: readonly InstanceQueue[], limit: number): Promise<number> => {
  const names = queues.map(({ name }) => name)
  const codes = queues.map(({ states }) => states.codes.join())
  const isExcept = queues.map(({ states }) => String(states.isExcept))
  const [row] = await db<{ moved: number }[]>`
    with taken as (
      delete from search_outbox where ctid = any(array(
        select ctid from search_outbox order by seq limit ${limit} for update skip locked))
      returning kind, id, seq, changed_at, moved
    ), located as (
      select t.*, s.state as state from taken t
      left join live_parcels p on p.id = t.id left join sources s on s.source = p.source where t.kind = 'parcel'
      union all
      select t.*, e.jurisdiction from taken t left join entities e on e.id = t.id where t.kind = 'entity'
    ), queued as (
      insert into search_instance_outbox as queue (instance, kind, id, seq, changed_at)
      select q.name, l.kind, l.id, l.seq, l.changed_at
      from located l
      join unnest(${names}::text[], ${codes}::text[], ${isExcept}::text[]::boolean[]) as q (name, codes, is_except)
        on l.moved or l.state is null or (l.state = any(string_to_array(q.codes, ','))) <> q.is_except
      order by q.name, l.kind, l.id
      on conflict (instance, kind, id) do update
        set seq = greatest(queue.seq, excluded.seq), changed_at = least(queue.changed_at, excluded.changed_at)
    )
    select count(*)::int as moved from taken`
  const moved = row?.moved ?? 0
  if (moved > 0) await db`select pg_notify(${CHANNELS.searchOutbox}, '')`
  return moved
}

/**
 * Removes changes from the queues of all instances except `names`, because they are no longer configured, and puts up to `limit`
 * documents back into the outbox. Returns how many.
 */
export const returnChanges = async (db: Db, names: readonly string[], limit: number): Promise<number> => {
  const { count } = await db`
    with chosen as (
      select distinct kind, id from (
        select kind, id from search_instance_outbox where instance <> all(${[...names]}::text[]) limit ${limit}
      ) left_over
    ), taken as (
      delete from search_instance_outbox o using chosen
      where o.kind = chosen.kind and o.id = chosen.id and o.instance <> all(${[...names]}::text[])
      returning o.kind, o.id, o.changed_at
    )
    insert into search_outbox (kind, id, seq, changed_at, moved)
    select kind, id, nextval('search_outbox_seq'), changed_at, true
    from (select kind, id, min(changed_at) as changed_at from taken group by kind, id order by kind, id) ordered
    on conflict (kind, id) do update set moved = true`
  return count
}
