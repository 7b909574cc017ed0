import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { advanceWork } from '../work/advance-work'
import { claimLedWork, type WorkAttempt } from '../work/claim-work'
import { failWork, finishWork, handBackLedWork } from '../work/end-work-attempt'
import { orderWork } from '../work/order-work'
import { sweepLostWork } from '../work/sweep-lost-work'
import { WORK_KINDS } from '../work/work-kinds'
import { findLagSeconds, type Queue } from './search-outbox'

/** Work on the search index that the leader of the sync role does in addition to sending changes. */
export type SearchWork = 'check' | 'rebuild'

const KINDS = { check: WORK_KINDS.searchCheck, rebuild: WORK_KINDS.searchRebuild }

/** The kinds of work on the search index. The last finished work of each kind is never deleted. */
export const SEARCH_WORK_KINDS = { check: KINDS.check.name, rebuild: KINDS.rebuild.name }

/** The subject of the work on the index of an instance. */
export const subjectOf = (queue: Queue): string => (queue === null ? 'search' : `search ${queue}`)

const ledWork = (kind: SearchWork, subject: string) => ({ kind: SEARCH_WORK_KINDS[kind], subject })

/** The result of a check: documents that are missing from the index, have no row, or differ from their row. */
export interface DriftCounts {
  missing: number
  extra: number
  different: number
}

/** Requests work from the leaders of the sync role. Returns false if it is already requested or running on all of these instances. */
export const requestSearchWork = async (
  db: Db,
  kind: SearchWork,
  requestedBy: string,
  queues: readonly Queue[],
): Promise<boolean> => {
  let hasNew = false
  for (const subject of queues.map(subjectOf)) {
    await sweepLostWork(db, { ...ledWork(kind, subject), mostFailures: 1 })
    const { isNew } = await orderWork(db, { kind: KINDS[kind], subject, payload: {}, requestedBy })
    hasNew ||= isNew
  }
  return hasNew
}

/** The work that was requested and has not started. */
export const listRequestedWork = async (db: Db, subject: string): Promise<SearchWork[]> => {
  const rows = await db<{ kind: string }[]>`
    select kind from work where kind = any(${Object.values(SEARCH_WORK_KINDS)}) and subject = ${subject} and status = 'queued'`
  return (['check', 'rebuild'] as const).filter((name) => rows.some(({ kind }) => kind === SEARCH_WORK_KINDS[name]))
}

/** Ends work that earlier leaders left running. Work that a caller requested is requeued instead. */
export const abandonWork = (db: Db, kinds: readonly SearchWork[], subject: string): Promise<void> =>
  handBackLedWork(db, { kinds: kinds.map((kind) => SEARCH_WORK_KINDS[kind]), subject })

/** Ends work that was requested for instances that are no longer configured. `subjects`: those of all configured instances. */
export const endStrayWork = async (db: Db, subjects: readonly string[]): Promise<void> => {
  await db`
    update work set status = 'error', lease_expires_at = null, finished_at = greatest(clock_timestamp(), started_at),
      error_code = 'worker_lost', error_message = 'its instance of Meilisearch is not configured any more'
    where kind = any(${Object.values(SEARCH_WORK_KINDS)}) and subject <> all(${[...subjects]}::text[])
      and (status = 'queued' or status = 'running' and lease_expires_at < now())`
}

/** Starts work, requested or not. */
export const startWork = (db: Db, kind: SearchWork, subject: string): Promise<WorkAttempt> =>
  claimLedWork(db, ledWork(kind, subject))

/**
 * Starts a rebuild, requested or not. Null: another instance is being rebuilt; they take turns. `total`: the number of documents that it
 * will send.
 */
export const startRebuild = async (db: Db, subject: string, total: number): Promise<WorkAttempt | null> => {
  await db`select pg_advisory_xact_lock(hashtext('search_rebuild'))`
  if (await isOtherRebuilt(db, subject)) return null
  return claimLedWork(db, { ...ledWork('rebuild', subject), total })
}

/** Whether another instance is being rebuilt. */
export const isOtherRebuilt = async (db: Db, subject: string): Promise<boolean> => {
  const rows = await db<{ found: boolean }[]>`
    select exists (
      select from work where kind = ${SEARCH_WORK_KINDS.rebuild} and subject <> ${subject} and status = 'running' and lease_expires_at >= now()
    ) as found`
  return onlyRow(rows).found
}

/** Returns false if the rebuild was cancelled. */
export const setRebuildProgress = (db: Db, rebuild: WorkAttempt, done: number): Promise<boolean> =>
  advanceWork(db, rebuild, { done })

export const endRebuild = async (db: Db, rebuild: WorkAttempt, documents: number): Promise<void> => {
  await advanceWork(db, rebuild, { done: documents, total: documents })
  await finishWork(db, rebuild)
}

/** Returns false if the check was cancelled. */
export const endCheck = (db: Db, check: WorkAttempt, { missing, extra, different }: DriftCounts): Promise<boolean> =>
  finishWork(db, check, { missing, extra, different })

/** Records the result of a check on the command line, unless the leader has a check to do, which records its own result. */
export const recordCheck = async (
  db: Db,
  subject: string,
  { missing, extra, different, durationMs }: DriftCounts & { durationMs: number },
): Promise<void> => {
  const { kind } = ledWork('check', subject)
  await db`
    insert into work (kind, subject, status, attempts, started_at, finished_at, result)
    select ${kind}, ${subject}, 'done', 1, now() - make_interval(secs => ${durationMs / 1_000}), now(),
      ${JSON.stringify({ missing, extra, different })}::text::jsonb
    where not exists (
      select from work
      where kind = ${kind} and subject = ${subject} and (status = 'queued' or status = 'running' and lease_expires_at >= now())
    )`
}

export const failCheck = (db: Db, { id, attempt }: WorkAttempt, message: string): Promise<void> =>
  failWork(db, { id, attempt, code: 'internal', message, retryAfterMs: null, retryInMs: null })

/** An instance as `readSearchIndex` describes it. `documents`: their number in the index; null if not known. */
export interface DescribedInstance {
  name: string
  /** In words. */
  states: string
  queue: Queue
  documents: number | null
}

/** The delay of the index, its last check and rebuild, and the same for each instance of Meilisearch, as JSON text. */
export const readSearchIndex = async (db: Db, instances: readonly DescribedInstance[]): Promise<string> => {
  const counts = instances.map(({ documents }) => documents)
  const documents =
    counts.length === 0 || counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  const lagSeconds = await findLagSeconds(db)
  const rows = await db<{ body: string }[]>`
    with instances as (
      select * from unnest(
        ${instances.map(({ name }) => name)}::text[], ${instances.map(({ states }) => states)}::text[],
        ${instances.map(({ queue }) => queue ?? '')}::text[], ${instances.map(({ queue }) => subjectOf(queue))}::text[],
        ${counts}::bigint[]
      ) with ordinality as i (name, states, queue, subject, documents, place)
    ), latest as (
      select distinct on (kind, subject) *
      from work where kind = any(${Object.values(SEARCH_WORK_KINDS)}) and subject in (select subject from instances)
      order by kind, subject, status in ('queued', 'running') desc, id desc
    ), checked as (
      select distinct on (subject) * from work
      where kind = ${SEARCH_WORK_KINDS.check} and status = 'done' and subject in (select subject from instances)
      order by subject, finished_at desc
    ), described as (
      select i.*, pending.*, (select ${driftFields(db)} from checked where subject = i.subject) as drift,
        (select ${workFields(db)} from latest where kind = ${SEARCH_WORK_KINDS.check} and subject = i.subject) as check,
        (select ${rebuildFields(db)} from latest where kind = ${SEARCH_WORK_KINDS.rebuild} and subject = i.subject) as rebuild
      from instances i cross join lateral (
        select count(*) as depth, coalesce(greatest(0, extract(epoch from clock_timestamp() - min(changed_at))), 0)::float8 as age
        from (
          select changed_at from search_outbox
          union all select changed_at from search_instance_outbox where instance = i.queue
        ) waiting
      ) pending
    )
    select json_build_object(
      'documents', ${documents}::bigint,
      'outbox_depth', (select count(*) from search_outbox) + (select count(*) from search_instance_outbox),
      'outbox_age_seconds', ${lagSeconds}::float8,
      'drift', (
        select json_build_object('checked_at', iso_utc(min(finished_at)), 'missing', sum((result ->> 'missing')::int),
          'extra', sum((result ->> 'extra')::int), 'different', sum((result ->> 'different')::int))
        from checked having count(*) > 0
      ),
      'check', (
        select ${workFields(db)} from latest where kind = ${SEARCH_WORK_KINDS.check}
        order by status = 'running' desc, status = 'queued' desc, id desc limit 1
      ),
      'rebuild', (
        select ${rebuildFields(db)} from latest where kind = ${SEARCH_WORK_KINDS.rebuild}
        order by status = 'running' desc, status = 'queued' desc, id desc limit 1
      ),
      'instances', (
        select coalesce(json_agg(json_build_object(
          'instance', name, 'states', states, 'documents', documents, 'outbox_depth', depth, 'outbox_age_seconds', age,
          'drift', drift, 'check', "check", 'rebuild', rebuild
        ) order by place), '[]') from described
      )
    )::text as body`
  return onlyRow(rows).body
}

const driftFields = (db: Db) => db`json_build_object(
  'checked_at', iso_utc(finished_at), 'missing', result -> 'missing', 'extra', result -> 'extra', 'different', result -> 'different'
)`

const rebuildFields = (db: Db) => db`jsonb_build_object('done', done, 'total', coalesce(total, 0)) || ${workFields(db)}`

const workFields = (db: Db) => db`jsonb_build_object(
  'running', status = 'running',
  'state', case status when 'queued' then 'requested' when 'error' then 'failed' else status::text end,
  'requested_by', requested_by, 'requested_at', iso_utc(case when requested_by is not null then created_at end),
  'started_at', iso_utc(started_at), 'finished_at', iso_utc(finished_at), 'error', error_message
)`
