import type { Db } from '../../../core/postgres/database'

/**
 * Sources whose parcels changed after they were last counted, longest ago first: after a load that ended a minute ago, at most every
 * five minutes; after other changes, at most once an hour.
 */
export const listSourcesToCount = async (db: Db): Promise<string[]> =>
  (await selectSourcesToCount(db)).map(({ source }) => source)

/**
 * Reads one change of each source, its last, from the index by source. The range has only one source. With `=`, PostgreSQL would expect each source
 * to have changes, and would walk through the log of all sources from its end, once for each source without any.
 */
export const selectSourcesToCount = (db: Db) => db<{ source: string }[]>`
  select s.source from sources s left join source_coverage c using (source) left join lateral (
    select version, at, cause from parcel_changes l
    where l.source >= s.source and l.source <= s.source order by l.source desc, l.version desc limit 1
  ) last on last.version > c.version
  where c.source is null or case
    when last.cause in ('ingest', 'crawl', 'undo')
      then last.at < now() - interval '1 minute' and c.counted_at < now() - interval '5 minutes'
    else last.at is not null and c.counted_at < now() - interval '1 hour'
  end
  order by c.counted_at nulls first, s.source`
