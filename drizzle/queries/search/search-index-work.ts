import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'
import { hasLeader } from '../../../core/postgres/leaders'
import { SYNC_DUTY } from './search-outbox'

export type SearchWork = 'check' | 'rebuild'

/** What a comparison found: documents that the index lacks, that it has to no row, and that are not as their rows. */
export interface DriftCounts {
  missing: number
  extra: number
  different: number
}

/** Asks the leader of the sync role for work. False when it is asked for already, or runs; of a leader that died nothing runs. */
export const requestSearchWork = async (db: Db, kind: SearchWork, requestedBy: string): Promise<boolean> => {
  const rows = await db`
    with asked as (
      insert into search_index_work as w (kind, state, requested_by, requested_at)
      values (${kind}, 'requested', ${requestedBy}, now())
      on conflict (kind) do update set state = 'requested', requested_by = excluded.requested_by,
        requested_at = excluded.requested_at, started_at = null, finished_at = null, done = null, total = null, error = null
      where w.state in ('done', 'failed') or w.state = 'running' and not (${hasLeader(db, SYNC_DUTY)}) returning kind
    )
    select pg_notify(${CHANNELS.searchIndexWork}, kind::text) from asked`
  return rows.length > 0
}

/** What the leader has been asked for and has not begun. */
export const listRequestedWork = async (db: Db): Promise<SearchWork[]> => {
  const rows = await db<{ kind: SearchWork }[]>`select kind from search_index_work where state = 'requested'`
  return rows.map(({ kind }) => kind)
}

/** What was left unfinished is to be done again if somebody asked for it, and has failed if not. */
export const abandonWork = async (db: Db, kinds: readonly SearchWork[]): Promise<void> => {
  await db`
    update search_index_work set state = (case when requested_by is null then 'failed' else 'requested' end)::search_work_state,
      error = case when requested_by is null then 'ended without a word' end,
      finished_at = case when requested_by is null then now() end
    where state = 'running' and kind = any(${[...kinds]}::search_work_kind[])`
}

/** Work begins, whether somebody asked for it or not. `total`: documents that a rebuild will send. */
export const startWork = async (db: Db, kind: SearchWork, total: number | null): Promise<void> => {
  await db`
    insert into search_index_work as w (kind, state, started_at, done, total)
    values (${kind}, 'running', now(), ${total === null ? null : 0}, ${total})
    on conflict (kind) do update set state = 'running', started_at = excluded.started_at, finished_at = null,
      done = excluded.done, total = excluded.total, error = null,
      requested_by = case when w.state in ('requested', 'running') then w.requested_by end,
      requested_at = case when w.state in ('requested', 'running') then w.requested_at end`
}

export const setRebuildProgress = async (db: Db, done: number): Promise<void> => {
  await db`update search_index_work set done = ${done} where kind = 'rebuild' and state = 'running'`
}

export const endRebuild = async (db: Db, documents: number): Promise<void> => {
  await db`
    update search_index_work set state = 'done', finished_at = now(), done = ${documents}, total = ${documents}
    where kind = 'rebuild'`
}

export const endCheck = async (db: Db, { missing, extra, different }: DriftCounts): Promise<void> => {
  await db`
    update search_index_work set state = 'done', finished_at = now(), checked_at = now(), missing = ${missing},
      extra = ${extra}, different = ${different}
    where kind = 'check'`
}

/** What a comparison on the command line found. One that the leader is asked for, or is at, tells for itself. */
export const recordCheck = async (
  db: Db,
  { missing, extra, different, durationMs }: DriftCounts & { durationMs: number },
): Promise<void> => {
  await db`
    insert into search_index_work as w (kind, state, started_at, finished_at, checked_at, missing, extra, different)
    values ('check', 'done', now() - make_interval(secs => ${durationMs / 1_000}), now(), now(), ${missing}, ${extra}, ${different})
    on conflict (kind) do update set state = excluded.state, started_at = excluded.started_at,
      finished_at = excluded.finished_at, checked_at = excluded.checked_at, missing = excluded.missing, extra = excluded.extra,
      different = excluded.different, requested_by = null, requested_at = null, error = null
    where w.state in ('done', 'failed') or not (${hasLeader(db, SYNC_DUTY)})`
}

export const failCheck = async (db: Db, message: string): Promise<void> => {
  await db`
    update search_index_work set state = 'failed', finished_at = now(), error = ${message}
    where kind = 'check' and state = 'running'`
}

/** How far the index is behind, and its last works, as JSON text; `documents` is what it has, null when that is not known. */
export const readSearchIndex = async (db: Db, documents: number | null): Promise<string> => {
  const [row] = await db<{ body: string }[]>`
    select json_build_object(
      'documents', ${documents}::bigint,
      'outbox_depth', (select count(*) from search_outbox),
      'outbox_age_seconds', coalesce((
        select greatest(0, extract(epoch from clock_timestamp() - changed_at))::float8 from search_outbox order by seq limit 1
      ), 0),
      'drift', (
        select json_build_object('checked_at', iso_utc(checked_at), 'missing', missing, 'extra', extra, 'different', different)
        from search_index_work where kind = 'check' and checked_at is not null
      ),
      'check', (select ${workFields(db)} from search_index_work where kind = 'check'),
      'rebuild', (
        select jsonb_build_object('done', coalesce(done, 0), 'total', coalesce(total, 0)) || ${workFields(db)}
        from search_index_work where kind = 'rebuild'
      )
    )::text as body`
  return row?.body ?? '{}'
}

const workFields = (db: Db) => db`jsonb_build_object(
  'running', state = 'running', 'state', state, 'requested_by', requested_by, 'requested_at', iso_utc(requested_at),
  'started_at', iso_utc(started_at), 'finished_at', iso_utc(finished_at), 'error', error
)`
