import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'
import type { ParcelCounts } from './count-parcels'

/**
 * Replaces the coverage of a source. `version` is the dataset version before the count. Does nothing if the source is gone, or if a count
 * that began later is stored.
 */
export const storeCoverage = async (
  db: Db,
  source: string,
  { parcels, retired, filled, west, south, east, north, refreshedAt }: ParcelCounts,
  version: number,
): Promise<void> => {
  await db`
    insert into source_coverage (source, parcels, retired, filled, bbox, refreshed_at, version, counted_at)
    select source, ${parcels}, ${retired}, ${JSON.stringify(filled)}::text::jsonb,
      case when ${west}::float8 is not null
        then box(point(${east}::float8, ${north}::float8), point(${west}::float8, ${south}::float8)) end,
      ${refreshedAt}::timestamptz, ${version}::bigint, now()
    from sources where source = ${source}
    on conflict (source) do update set parcels = excluded.parcels, retired = excluded.retired, filled = excluded.filled,
      bbox = excluded.bbox, refreshed_at = excluded.refreshed_at, version = excluded.version, counted_at = excluded.counted_at
      where source_coverage.version <= excluded.version`
  await db`select pg_notify(${CHANNELS.coverageChanged}, '')`
}
