import type { Db } from '../../../core/postgres/database'

/**
 * Sources whose parcels changed after they were last counted, longest ago first: after a load that ended a minute ago, at most every
 * five minutes; after other changes, at most once an hour. The last change is read from the log's index, so checking unchanged sources
 * is cheap.
 */
export const listSourcesToCount = async (db: Db): Promise<string[]> => {
  const rows = await db<{ source: string }[]>`
    select s.source from sources s left join source_coverage c using (source) left join lateral (
      select at, cause from parcel_changes l
      where l.source = s.source and l.version > c.version order by l.version desc limit 1
    ) last on true
    where c.source is null or case
      when last.cause in ('ingest', 'crawl', 'undo')
        then last.at < now() - interval '1 minute' and c.counted_at < now() - interval '5 minutes'
      else last.at is not null and c.counted_at < now() - interval '1 hour'
    end
    order by c.counted_at nulls first, s.source`
  return rows.map(({ source }) => source)
}
