import type { Db } from '../../../core/postgres/database'

/*
 * Where a parcel was before and after a change of it: its boundary, or its point if it had no boundary. A change stores only the former
 * values of what it changed. The boundary and the point after change `c` are the former ones of the next change of them. If there is
 * none, the parcel still has them.
 */

/**
 * The next changes of the boundary and of the point after change `c`, as `next`, for `placesAround`. `at` skips older partitions; clocks
 * may be set back a little.
 */
export const nextPlace = (db: Db) => db`left join lateral (
    select (array_agg(l.changes -> 'geom' order by l.version) filter (where l.changes ? 'geom'))[1] as geom,
      (array_agg(l.changes order by l.version) filter (where l.changes ? 'lon'))[1] as point
    from (
      -- OFFSET 0 keeps the index of parcels: the index of versions leads through the whole log.
      select * from parcel_changes l where l.parcel_id = c.parcel_id and l.version > c.version and l.at >= c.at - interval '1 hour'
        and l.changes ?| array['geom', 'lon'] offset 0
    ) l
  ) next on true`

/**
 * The places before and after change `c`, as rows `place (geom, lon, lat, bbox)`. Needs `nextPlace`, and the parcel as `p`, whose columns
 * are null if it was deleted.
 */
export const placesAround = (db: Db) => db`(
    select boundary.geom, point.lon, point.lat, coalesce(boundary.bbox, box_at(point.lon, point.lat)) as bbox
    -- The place before a change that moved nothing is the place after it.
    from (select false as is_before union all select true where c.changes ?| array['geom', 'lon']) moment
      -- The change, if any, whose former value is the value at this moment.
      cross join lateral (select
        case when is_before and c.changes ? 'geom' then c.changes -> 'geom' else next.geom end as boundary,
        case when is_before and c.changes ? 'lon' then c.changes else next.point end as point
      ) replaced
      left join lateral (
        select p.geom, p.bbox where replaced.boundary is null and p.geom is not null
        union all select g.geom, g.bbox from geometries g where g.hash = replaced.boundary ->> 0
      ) boundary on true
      left join lateral (
        select p.lon, p.lat where replaced.point is null
        union all select (replaced.point -> 'lon' ->> 0)::float8, (replaced.point -> 'lat' ->> 0)::float8 where replaced.point is not null
      ) point on boundary.bbox is null
  ) place`
