-- Compacts a year of the change log (`CHANGES_KEEP`). If a field changed several times in the year, only its last change is kept, with its
-- time, cause and origin. Its former value becomes the one from the beginning of the year. A field with the same value at both ends loses
-- its changes, and a change without fields is deleted. Creations and deletions stay. So does everything that says where a parcel is and
-- whether it is listed: boxes are searched by former places, and restoring a source undoes its retirement.

-- The log's table of a compacted year.
CREATE OR REPLACE FUNCTION compacted_changes(year integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 'parcel_changes_' || year;
--> statement-breakpoint
-- Whether the changes of `moment` are compacted. Then a load of that time cannot be undone: its changes lack the values that it replaced.
CREATE OR REPLACE FUNCTION is_compacted(moment timestamp with time zone) RETURNS boolean LANGUAGE sql STABLE
  RETURN to_regclass(compacted_changes(extract(year FROM moment AT TIME ZONE 'UTC')::integer)) IS NOT NULL;
--> statement-breakpoint
-- The years (UTC) with changes that ended before `moment` and are not compacted, the oldest first.
CREATE OR REPLACE FUNCTION years_to_compact(moment timestamp with time zone) RETURNS SETOF integer LANGUAGE sql STABLE AS $$
  SELECT year FROM (
    SELECT substr(relname, length('parcel_changes_') + 1, 4)::integer AS year FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
      WHERE inhparent = 'parcel_changes'::regclass AND relname ~ '^parcel_changes_\d{4}_\d\d$'
    UNION
    SELECT extract(year FROM at AT TIME ZONE 'UTC')::integer FROM parcel_changes_default
  ) years
  WHERE make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC') <= moment ORDER BY year
$$;
--> statement-breakpoint
-- Replaces the months of a year by one table with the compacted changes, which returns the disk space of the others. Returns how many
-- changes are fewer. All of it is one transaction, which took 33 s for 2,000,000 changes (2 cores, November 2026). Readers and writers of
-- the log wait only for the replacement at its end, for at most a second at a time. Null: another session is compacting. An undo needs all
-- changes of its load, so the replacement waits until none is queued or running, and fails after five minutes. An undo that is ordered
-- later is refused: its order reads the log first (`is_compacted`), so it commits before the replacement or sees it.
CREATE OR REPLACE FUNCTION compact_changes(compacted_year integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  name text := compacted_changes(compacted_year);
  year_begin timestamptz := make_timestamptz(compacted_year, 1, 1, 0, 0, 0, 'UTC');
  year_end timestamptz := make_timestamptz(compacted_year + 1, 1, 1, 0, 0, 0, 'UTC');
  months regclass[];
  month regclass;
  before bigint;
  after bigint;
  attempts integer := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('compact_changes')) THEN RETURN NULL; END IF;
  IF to_regclass(name) IS NOT NULL THEN RETURN 0; END IF;
  SELECT coalesce(array_agg(c.oid::regclass ORDER BY relname), '{}') INTO months FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = 'parcel_changes'::regclass AND relname ~ ('^' || name || '_\d\d$');
  -- Nobody may change these rows until they are replaced. Only the renaming of a source would.
  FOREACH month IN ARRAY months || 'parcel_changes_default'::regclass LOOP
    EXECUTE format('LOCK TABLE %s IN SHARE MODE', month);
  END LOOP;
  -- With the check and the indexes, attaching the table needs no time.
  EXECUTE format('CREATE TABLE %I (LIKE parcel_changes INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES, CHECK (at >= %L AND at < %L))',
    name, year_begin, year_end);
  SELECT count(*) INTO before FROM parcel_changes WHERE at >= year_begin AND at < year_end;
  EXECUTE format($insert$
    INSERT INTO %I (version, at, parcel_id, source, source_parcel_id, action, cause, cause_id, changes, former_owner, origin)
    WITH year_changes AS MATERIALIZED (
      SELECT c.*, count(*) OVER (PARTITION BY parcel_id) > 1 AS is_merged FROM parcel_changes c WHERE at >= $1 AND at < $2
    ), fields AS (
      SELECT version, key, value -> 1 AS new, first_value(value -> 0) OVER of_field AS former, first_value(former_owner) OVER of_field AS former_owner,
        version = last_value(version) OVER of_field AS is_last
      FROM year_changes CROSS JOIN LATERAL jsonb_each(changes)
      WHERE is_merged AND key <> ALL ($3)
      WINDOW of_field AS (PARTITION BY parcel_id, key ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ), merged AS (
      SELECT version, jsonb_object_agg(key, jsonb_build_array(former, new)) AS changes, max(former_owner) FILTER (WHERE key = 'owner_name') AS former_owner
      FROM fields WHERE is_last AND former IS DISTINCT FROM new GROUP BY version
    ), compacted AS (
      SELECT y.version, at, parcel_id, source, source_parcel_id, action, cause, cause_id, origin,
        CASE WHEN is_merged THEN m.former_owner ELSE y.former_owner END AS former_owner,
        CASE WHEN is_merged THEN coalesce(m.changes, '{}') || coalesce((
          SELECT jsonb_object_agg(key, value) FROM jsonb_each(y.changes) WHERE key = ANY ($3)
        ), '{}') ELSE y.changes END AS changes
      FROM year_changes y LEFT JOIN merged m USING (version)
    )
    SELECT version, at, parcel_id, source, source_parcel_id, action, cause, cause_id, changes, former_owner, origin FROM compacted
    WHERE action <> 'changed' OR changes <> '{}'
    ORDER BY version
  $insert$, name) USING year_begin, year_end, '{geom,lon,lat,retired_at}'::text[];
  GET DIAGNOSTICS after = ROW_COUNT;
  EXECUTE format('ANALYZE %I', name);
  -- Others see these rows until the end. Deleting millions of them after the lock would keep everybody waiting.
  DELETE FROM parcel_changes_default WHERE at >= year_begin AND at < year_end;
  PERFORM set_config('lock_timeout', '1s', true);
  LOOP
    BEGIN
      LOCK TABLE parcel_changes IN ACCESS EXCLUSIVE MODE;
      IF EXISTS (SELECT FROM work WHERE kind = 'load' AND status IN ('queued', 'running') AND payload ->> 'action' = 'undo') THEN
        RAISE lock_not_available USING MESSAGE = 'an undo is queued or running';
      END IF;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      attempts := attempts + 1;
      IF attempts = 60 THEN RAISE; END IF;
      PERFORM pg_sleep(5);
    END;
  END LOOP;
  FOREACH month IN ARRAY months LOOP
    EXECUTE format('DROP TABLE %s', month);
  END LOOP;
  EXECUTE format('ALTER TABLE parcel_changes ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, year_begin, year_end);
  RETURN before - after;
END $$;
