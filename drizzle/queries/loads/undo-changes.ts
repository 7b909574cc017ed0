import { LOADED_COLUMNS } from '../../../core/parcels/fields'
import type { Db, Transaction } from '../../../core/postgres/database'
import type { Cause } from '../../schema/values'
import { setCause } from '../changes/set-cause'
import { listColumns } from '../parcels/field-columns'
import { VOLATILE } from '../parcels/update-scrape-data'
import { selectUndone } from '../work/undo-work'

/** How many changes one transaction undoes. */
const BATCH_CHANGES = 1_000

/** Members of the scrape data with which a portal recognizes an unchanged page. */
const PAGE_TAGS = ['http_etag', 'http_last_modified']

const RESTORED = listColumns(LOADED_COLUMNS, 'v')
const ASSIGNMENTS = LOADED_COLUMNS.map((name) => `${name} = r.${name}`).join(', ')

/** The source whose parcels a load, crawl, job, replay or undo changed, and its kind. Null: it changed nothing. */
export const findCause = async (db: Db, causeId: string): Promise<{ source: string; cause: Cause } | null> => {
  const [row] = await db<{ source: string; cause: Cause | null }[]>`
    select source, cause from parcel_changes where cause_id = ${causeId} order by version limit 1`
  return row === undefined || row.cause === null ? null : { source: row.source, cause: row.cause }
}

export interface UndoneBatch {
  /** The last version of the batch; null: there was nothing left to undo. */
  version: number | null
  restored: number
  retired: number
  /** Parcels with fields that a newer change touched. These fields keep their value. */
  kept: { source_parcel_id: string; fields: string[] }[]
  /** Restored parcels, by source, that have findings or got an earlier scrape back: their findings must be reviewed again. */
  reviewed: { source: string; ids: string[] }[]
}

/** SQL, part of `undoBatch`: the last change of each parcel by something else. */
const lastOfOthers = (tx: Transaction) => tx`(select parcel_id, max(version) as version from others group by parcel_id)`

/** SQL query, part of `undoBatch`: the value that each field had before the cause changed it. */
const selectFormerValues = (tx: Transaction) => tx`
  select distinct on (t.parcel_id, field) t.parcel_id, field, t.version, t.at, former, current,
    -- A parcel that the cause listed again stays if something else changed any of its fields later, like one that it created.
    t.version < coalesce(case when field = 'retired_at' and former <> 'null' then l.version else o.version end, 0) as is_kept,
    t.at < (select max(at) from undone) as may_be_undone
  from touched t left join others o using (parcel_id, field) left join ${lastOfOthers(tx)} l on l.parcel_id = t.parcel_id
  where is_mine and t.parcel_id not in (select parcel_id from created)
  order by t.parcel_id, field, is_kept, t.version`

/** SQL query, part of `undoBatch`: the value that the cause gave each field. A parcel that it listed is listed again. */
const selectNewValues = (tx: Transaction) => tx`
  select distinct on (t.parcel_id, t.field) t.parcel_id, t.field, t.version, t.at, t.new as former, t.current,
    -- A parcel that the cause retired stays if something else changed any of its fields later.
    t.version < coalesce(case when t.field = 'retired_at' and t.new <> 'null' then l.version else o.version end, 0) as is_kept,
    false as may_be_undone
  from (
    select parcel_id, field, version, at, new, current from touched where is_mine
    union all
    select s.parcel_id, 'retired_at', s.version, s.at, 'null', coalesce(to_jsonb(iso_utc(p.retired_at)), 'null')
    from since s join parcels p on p.id = s.parcel_id where s.is_mine and s.action <> 'retired' and p.retired_at is not null
  ) t left join others o using (parcel_id, field) left join ${lastOfOthers(tx)} l on l.parcel_id = t.parcel_id
  order by t.parcel_id, t.field, t.version desc`

/**
 * Undoes the next changes of a load, crawl, job or replay, in the order of their versions, from `after`. Each field gets the value that
 * it had before the cause first changed it. If something else changed the field in between, it gets the value after that change. A
 * field that something else changed later keeps its value, unless that change was undone as well. A parcel that the cause created is
 * retired, and so is one that it listed again, unless something else changed it later. `undoId` is the cause of these new changes.
 *
 * `redoOf` is the last undo of the cause, if that undo is to be undone: then each field gets the value that the cause gave it, unless
 * something else changed it later.
 *
 * If the last scrape of a parcel is undone, the parcel gets the time of the scrape before it, or null. A replay counts as a scrape if
 * it read the page of a failed scrape; otherwise it read the page of the last scrape, whose time stays. The portal's tags for an
 * unchanged page are deleted, so that the next scrape reads the page.
 */
export const undoBatch = async (
  tx: Transaction,
  { causeId, redoOf = null, undoId, after }: { causeId: string; redoOf?: string | null; undoId: string; after: number },
): Promise<UndoneBatch> => {
  await setCause(tx, 'undo')
  const isRedo = redoOf !== null
  const [batch] = await tx<UndoneBatch[]>`
    with page as materialized (
      -- The changes of this batch.
      select version, parcel_id from parcel_changes where cause_id = ${causeId} and version > ${after} order by version limit ${BATCH_CHANGES}
    ), mine as materialized (
      -- The parcels of this batch, with their first change by the cause. A parcel belongs to the batch of its first change.
      select parcel_id, min(version) as version from page p
      where not exists (
        select from parcel_changes e where e.parcel_id = p.parcel_id and e.version < p.version and e.version <= ${after} and e.cause_id = ${causeId}
      )
      group by parcel_id
    ), since as materialized (
      -- All changes of these parcels since then, by any cause.
      select c.parcel_id, c.version, c.at, c.action,
        c.cause in ('scrape', 'crawl') and c.origin is not null or c.cause = 'replay' and exists (
          select from kept_pages k where k.source = c.source and k.source_parcel_id = c.source_parcel_id
            and k.hash = c.origin ->> 'page_hash' and k.outcome <> 'done'
        ) as is_scrape,
        c.cause_id is not distinct from ${causeId}::uuid as is_mine, c.cause = 'undo' as is_undo, c.cause_id, c.changes
      from mine m cross join lateral (
        select * from parcel_changes c where c.parcel_id = m.parcel_id and c.version >= m.version
      ) c
    ), undone as materialized (
      -- What was undone before, and when. Not the cause, if it is brought back.
      ${selectUndone(tx, redoOf)}
    ), touched as (
      -- The same, with one row per field.
      select s.parcel_id, s.version, s.at, s.is_mine, s.is_undo, s.cause_id in (select u.cause_id from undone u) as is_undone, e.field, e.former, e.new,
        coalesce(max(s.version) filter (where s.is_mine) over (partition by s.parcel_id, e.field), 0) as last_mine,
        first_value(e.new) over (partition by s.parcel_id, e.field order by s.version desc) as current
      from since s cross join lateral changes_to_undo(s.changes) e
    ), taken_back as (
      -- Fields whose later changes are all undone: they have the value that the cause gave them.
      select parcel_id, field from touched where not is_mine and version > last_mine group by parcel_id, field
      having bool_and(is_undo or coalesce(is_undone, false))
    ), others as (
      -- Fields that something else changed, with the last such change. Changes that were undone do not count.
      select parcel_id, field, max(version) as version from touched t
      where not is_mine and (version < last_mine or (parcel_id, field) not in (select parcel_id, field from taken_back))
      group by parcel_id, field
    ), created as (
      -- Parcels that the cause created. They stay if something else changed them later.
      select parcel_id, parcel_id in (select parcel_id from others) as is_kept
      from since where is_mine and action = 'created' and not ${isRedo}
    ), formers as (
      -- The value that each field gets back, or (is_kept) that the field keeps its current value.
      ${isRedo ? selectNewValues(tx) : selectFormerValues(tx)}
    ), unlisted as (
      -- Parcels whose other changes are all undone, also their creation, or are older than a retirement that is not undone.
      select parcel_id from mine m where coalesce((
        select c.action = 'retired' from parcel_changes c
        where c.parcel_id = m.parcel_id and c.cause is distinct from 'undo' and (${isRedo} or c.cause_id is distinct from ${causeId}::uuid)
          and not exists (select from undone u where u.cause_id = c.cause_id)
        order by c.version desc limit 1
      ), true)
    ), given as (
      -- The same. If something was undone after the cause replaced the former value, that value may be gone, or have been brought back. Then
      -- the last earlier change counts that is not undone now, or else the value before the first one.
      select f.parcel_id, one.field, f.is_kept, one.former
      from formers f left join lateral (
        select case when is_undone then former else new end as value from (
          select c.version, e.former, e.new, c.cause is not distinct from 'undo' or exists (select from undone u where u.cause_id = c.cause_id) as is_undone
          from parcel_changes c cross join lateral changes_to_undo(c.changes) e
          -- Earlier changes are read only if something was undone since: a parcel can have years of them.
          where f.may_be_undone and c.parcel_id = f.parcel_id and c.version < f.version
            and c.cause_id is distinct from ${causeId}::uuid and e.field = f.field
        ) c
        order by is_undone, case when is_undone then version else -version end limit 1
      ) earlier on not f.is_kept cross join lateral (
        select f.field, coalesce(earlier.value, f.former) as former where f.field <> 'point'
        union all
        select coordinate, coalesce(earlier.value, f.former) -> place from (values ('lon', 0), ('lat', 1)) as point (coordinate, place)
        where f.field = 'point'
      ) one
      where f.is_kept or coalesce(earlier.value, f.former) is distinct from f.current or f.parcel_id in (select parcel_id from unlisted)
    ), scraped as (
      -- Parcels whose last scrape is undone, with the scrape before it, or whose scrape is brought back.
      select m.parcel_id, former.at, former.adapter
      from (
        select parcel_id, case when ${isRedo} then max(version) + 1 else min(version) end as version, max(at) as at
        from since where is_mine and is_scrape group by parcel_id
      ) m
      join parcels p on p.id = m.parcel_id and coalesce(p.scraped_at <= m.at, true)
      left join lateral (
        select s.at, s.adapter from parcel_changes c cross join lateral last_scrape_of(c.cause, c.at, c.origin) s
        where c.parcel_id = m.parcel_id and c.version < m.version
          and not exists (select from undone u where u.cause_id = c.cause_id and u.at > m.at)
        order by version desc limit 1
      ) former on true
    ), per_parcel as materialized (
      -- What each parcel gets back, and which fields it keeps.
      select parcel_id, bool_or(not is_kept) as is_restored, false as is_created, parcel_id in (select parcel_id from unlisted) as is_unlisted,
        coalesce(jsonb_object_agg(field, former) filter (where not is_kept and field <> 'geom' and not starts_with(field, 'scrape_data.')), '{}') as fields,
        coalesce(jsonb_object_agg(substr(field, 13), former) filter (where not is_kept and starts_with(field, 'scrape_data.')), '{}') as scrape_data,
        coalesce(bool_or(field = 'geom' and not is_kept), false) as has_geom,
        max(former #>> '{}') filter (where field = 'geom' and not is_kept) as geom_hash,
        coalesce(jsonb_agg(field order by field) filter (where is_kept), '[]') as kept
      from given group by parcel_id
      union all
      select parcel_id, not is_kept, true, false, case when is_kept then '{}' else jsonb_build_object('retired_at', iso_utc(now())) end, '{}', false, null,
        case when is_kept then '["created"]'::jsonb else '[]' end
      from created
    ), current as materialized (
      -- The parcels to change, locked.
      select p as parcel, r.* from per_parcel r join parcels p on p.id = r.parcel_id
      where r.is_restored order by p.source_parcel_id for no key update of p
    ), restored as (
      update parcels p set
        ${tx.unsafe(ASSIGNMENTS)},
        retired_at = r.retired_at,
        geom = case when r.has_geom then r.geom else p.geom end,
        bbox = case when r.has_geom then r.bbox else p.bbox end,
        scrape_data = r.scrape_data,
        scraped_at = case when r.has_former_scrape then r.former_scraped_at else p.scraped_at end,
        scraped_by = case when r.has_former_scrape then r.former_scraped_by else p.scraped_by end,
        crawl_id = nullif(p.crawl_id, ${causeId}::uuid),
        scrape_data_as_of = case when r.scrape_members ? 'data_as_of' then r.scrape_members ->> 'data_as_of' else p.scrape_data_as_of end,
        scrape_data_as_of_source = case when r.scrape_members ? 'data_as_of_source' then r.scrape_members ->> 'data_as_of_source'
          else p.scrape_data_as_of_source end,
        cause_id = ${undoId}, origin = r.origin, updated_at = now()
      from (
        select c.parcel_id, c.has_geom, g.geom, g.bbox, c.scrape_data as scrape_members,
          case when c.is_unlisted then coalesce(v.retired_at, (c.parcel).retired_at, now()) else v.retired_at end as retired_at,
          ${tx.unsafe(RESTORED)},
          s.parcel_id is not null and not c.is_created as has_former_scrape, s.at as former_scraped_at, s.adapter as former_scraped_by,
          case when s.parcel_id is not null and not c.is_created
            then jsonb_build_object('last_scrape', jsonb_build_object('at', iso_utc(s.at), 'adapter', s.adapter)) end as origin,
          case when c.scrape_data = '{}' then v.scrape_data
            when s.parcel_id is null then d.data - ${PAGE_TAGS}::text[]
            else d.data - ${VOLATILE}::text[] || case when s.at is null then '{}' else jsonb_build_object('fetched_at', iso_utc(s.at)) end
          end as scrape_data
        from current c left join geometries g on g.hash = c.geom_hash left join scraped s on s.parcel_id = c.parcel_id
          cross join lateral jsonb_populate_record(c.parcel, c.fields) v cross join lateral (
            select (v.scrape_data - array(select jsonb_object_keys(c.scrape_data))) || (
              select coalesce(jsonb_object_agg(key, value) filter (where value <> 'null'), '{}') from jsonb_each(c.scrape_data)
            ) as data
          ) d
      ) r
      where p.id = r.parcel_id
      returning p.id, p.source, p.source_parcel_id, r.scrape_members <> '{}' as has_other_scrape,
        old.retired_at is null and new.retired_at is not null as is_retired
    )
    select (select max(version)::float8 from page) as version,
      (select count(*)::int from restored where not is_retired) as restored,
      (select count(*)::int from restored where is_retired) as retired,
      coalesce((
        select json_agg(json_build_object('source_parcel_id', p.source_parcel_id, 'fields', r.kept) order by p.source_parcel_id)
        from per_parcel r join parcels p on p.id = r.parcel_id where r.kept <> '[]'
      ), '[]') as kept,
      coalesce((
        select json_agg(json_build_object('source', source, 'ids', ids)) from (
          select source, json_agg(source_parcel_id) as ids from restored p
          where has_other_scrape or exists (select from findings f where f.parcel_id = p.id) group by source
        ) s
      ), '[]') as reviewed`
  return batch ?? { version: null, restored: 0, retired: 0, kept: [], reviewed: [] }
}
