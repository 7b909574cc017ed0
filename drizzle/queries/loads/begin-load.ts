import type { LoadedColumn } from '../../../core/parcels/fields'
import type { Sql, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { ServiceError } from '../../../core/service-error'
import type { LoadKind } from '../../schema/values'
import type { WorkAttempt } from '../work/claim-work'
import { WORK_KINDS } from '../work/work-kinds'
import { stageRetirements } from './judge-load'
import { isCrawlUnderWay, lockSourceTurns } from './source-turns'

/** What the process that runs a load knows about it. */
export interface OpenLoad extends WorkAttempt {
  source: string
  kind: LoadKind
  isComplete: boolean
  /** Fields that are emptied if a record has no value. */
  cleared: readonly LoadedColumn[]
  /** The source has no parcels, so there is nothing to compare, and records are written without staging. */
  isDirect: boolean
}

export interface LoadOrder {
  id: string
  source: string
  kind: LoadKind
  isComplete: boolean
  asOf: string | null
  file: string | null
  cleared: readonly LoadedColumn[]
  createdBy: string
}

/**
 * Begins a load and claims its work for this process. Returns null if another load of the source is queued or running, or a crawl is in
 * progress.
 *
 * @throws ServiceError `conflict` for a retired source
 */
export const beginLoad = (sql: Sql, load: LoadOrder, leaseMs: number): Promise<OpenLoad | null> =>
  sql.begin(async (tx) => {
    const { id, source, kind, isComplete, asOf, file, cleared, createdBy } = load
    await lockSourceTurns(tx)
    // A source can be retired while its file is fetched.
    const [retired] = await tx`select from sources where source = ${source} and retired_at is not null`
    if (retired !== undefined) throw new ServiceError('conflict', `${source} is retired`)
    const claimed = await tx`
      insert into work (id, kind, subject, source, payload, status, attempts, started_at, lease_expires_at, requested_by)
      select ${id}, ${WORK_KINDS.load.name}, ${source}, ${source}, jsonb_build_object('action', 'ingest', 'cause_id', ${id}::uuid), 'running',
        1, clock_timestamp(), now() + ${leaseMs} * interval '1 ms', ${createdBy}
      where not exists (select from work w where ${isCrawlUnderWay(tx, source)})
      on conflict do nothing returning id`
    const open = { id, attempt: 1, source, kind, isComplete, cleared }
    if (claimed.length === 0) {
      // The database's response to an earlier call may have been lost.
      const [known] = await tx<
        { isDirect: boolean }[]
      >`select status = 'applying' as "isDirect" from loads where id = ${id}`
      return known === undefined ? null : { ...open, isDirect: known.isDirect }
    }
    const begun = await tx<{ isDirect: boolean }[]>`
      insert into loads (id, source, kind, status, is_complete, as_of, file, cleared, created_by)
      select ${id}, ${source}, ${kind}, case when has_parcels then 'staging' else 'applying' end, ${isComplete}, ${asOf}::date, ${file},
        ${[...cleared]}, ${createdBy}
      from (select exists (select from live_parcels where source = ${source}) as has_parcels) s
      returning status = 'applying' as "isDirect"`
    return { ...open, isDirect: onlyRow(begun).isDirect }
  }) as Promise<OpenLoad | null>

/** What a page of a crawl needs to know about its load. */
export interface CrawlLoad {
  /** The source has no parcels, so there is nothing to compare, and pages are written without staging. */
  isDirect: boolean
  /** Pages so far. */
  pages: number
  /** The fields for which the layer has a column, by their name in `vendor_config.columns`. */
  columns: string[]
}

/** The load of a crawl, which begins with its first page. Its id is that of the crawl. */
export const openCrawlLoad = async (
  tx: Transaction,
  { id, source }: { id: string; source: string },
): Promise<CrawlLoad> => {
  await tx`
    insert into loads (id, source, kind, status, is_complete, created_by)
    select w.id, w.source, 'crawl', case when exists (
        select from live_parcels where source = ${source}
      ) then 'staging' else 'applying' end, true, w.requested_by
    from work w where w.id = ${id}
    on conflict (id) do nothing`
  const [load] = await tx<CrawlLoad[]>`
    select l.status = 'applying' as "isDirect", (w.result ->> 'pages')::int as pages,
      array(select jsonb_object_keys(w.payload -> 'vendor_config' -> 'columns')) as columns
    from loads l join work w using (id) where l.id = ${id}`
  if (load === undefined) throw new Error(`the crawl ${id} has no load`)
  return load
}

/**
 * Stages an already judged load that lists no parcels, so that applying it retires all parcels of the source. Returns its id, or null
 * if the source has no parcels. A held load of the source is discarded.
 */
export const stageSourceRetirement = async (
  tx: Transaction,
  source: string,
  note: string,
  createdBy: string,
): Promise<string | null> => {
  await tx`
    update loads set status = 'discarded', ended_at = clock_timestamp(), note = ${note} where source = ${source} and status = 'held'`
  const [load] = await tx<{ id: string }[]>`
    insert into loads (id, source, kind, status, is_complete, created_by, judged_at, note, counts)
    select uuidv7(), ${source}, 'ingest', 'applying', true, ${createdBy}, clock_timestamp(), ${note},
      jsonb_build_object('read', 0, 'rejected', 0, 'inserted', 0, 'updated', 0, 'unchanged', 0, 'retired', parcels)
    from (select count(*) as parcels from live_parcels where source = ${source}) s where parcels > 0
    returning id`
  if (load === undefined) return null
  await stageRetirements(tx, { id: load.id, source })
  return load.id
}
