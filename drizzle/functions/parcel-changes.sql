-- The change log. Triggers write it, so it has the changes of every writer of parcels, even those that know nothing of the log. They
-- run after the triggers of other files, in the order of their names.
--
-- Versions. A sequence gives each change its version. A transaction that draws a version first may commit last, so a reader that has
-- seen version 10 could miss version 9 forever. Therefore readers stop at a watermark: no transaction that is still open has drawn a
-- version up to it, or will draw one. To announce itself, a writer takes a shared advisory lock before it draws its first version. The
-- lock's key contains the last version drawn until then, so all of the writer's versions are higher. The watermark is the lowest of
-- these keys, or the last version drawn if there is no lock. Writers never wait for each other, and only the sequence has to survive a
-- restart, a restore or an upgrade of the server.

-- The advisory locks of writers have the keys from this one (the letters "PV" in the upper 16 of 64 bits) to the next 2^48.
CREATE OR REPLACE FUNCTION parcel_version_locks() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN x'5056000000000000'::bigint;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION last_parcel_version() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM parcel_versions
$$;
--> statement-breakpoint
-- Call it before the first version of a transaction is drawn.
CREATE OR REPLACE FUNCTION hold_parcel_watermark() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parcel_changes.held', true) = 'yes' THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock_shared(parcel_version_locks() + last_parcel_version());
  PERFORM set_config('parcel_changes.held', 'yes', true);
END $$;
--> statement-breakpoint
-- The version up to which the log is complete. Read it in one statement and the log in a later one: a statement sees only what was
-- committed before it began. The order of the two reads here matters too: a writer that locks after the second one draws a version
-- above `drawn`.
CREATE OR REPLACE FUNCTION parcel_watermark() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  drawn bigint := last_parcel_version();
  held bigint;
BEGIN
  SELECT min((classid::bigint << 32 | objid::bigint) - parcel_version_locks()) INTO held FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = parcel_version_locks() >> 48
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
  RETURN least(drawn, held);
END $$;
--> statement-breakpoint
-- A version such that all changes at `moment` or later have higher versions. Times mostly increase with versions, but concurrent
-- statements interleave them. So the binary search looks for a place one minute earlier, and continues from there one by one. Volatile: if
-- it waits for a compaction, it must see what the compaction has committed.
CREATE OR REPLACE FUNCTION parcel_version_before(moment timestamp with time zone) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  low bigint := 0;
  high bigint := last_parcel_version();
  middle bigint;
  is_early boolean;
BEGIN
  WHILE low < high LOOP
    middle := (low + high) / 2;
    SELECT at < moment - interval '1 minute' INTO is_early FROM parcel_changes WHERE version > middle ORDER BY version LIMIT 1;
    IF is_early THEN low := middle + 1; ELSE high := middle; END IF;
  END LOOP;
  RETURN coalesce(
    (SELECT version - 1 FROM parcel_changes WHERE version > low AND at >= moment ORDER BY version LIMIT 1),
    last_parcel_version()
  );
END $$;
--> statement-breakpoint
-- Identifies the content of a boundary: the first half of the SHA-256 of its GeoJSON text, in hex.
CREATE OR REPLACE FUNCTION geometry_hash(geom json) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN left(encode(sha256(convert_to(geom::text, 'UTF8')), 'hex'), 32);
--> statement-breakpoint
-- The edges of all rings, in the order of their text.
CREATE OR REPLACE FUNCTION boundary_edges(geom json) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array_agg(former || position ORDER BY former || position COLLATE "C")
  FROM (
    SELECT v.position, lag(v.position) OVER (PARTITION BY p.place, r.place ORDER BY v.place) AS former
    FROM json_array_elements(geom -> 'coordinates') WITH ORDINALITY p (rings, place)
      CROSS JOIN LATERAL json_array_elements(p.rings) WITH ORDINALITY r (ring, place)
      CROSS JOIN LATERAL json_array_elements_text(r.ring) WITH ORDINALITY v (position, place)
  ) positions
  WHERE former IS NOT NULL
$$;
--> statement-breakpoint
-- Whether two boundaries have the same edges. Programs write the rings of one boundary from another position on, or in another order.
CREATE OR REPLACE FUNCTION same_boundary(one json, other json) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN boundary_edges(one) = boundary_edges(other);
--> statement-breakpoint
-- Whether two boundaries differ. A value that an update did not change keeps its place in the TOAST table, so it does not have to be
-- read.
CREATE OR REPLACE FUNCTION geometry_differs(former json, current json) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN CASE WHEN pg_column_toast_chunk_id(former) = pg_column_toast_chunk_id(current) THEN false
    ELSE former::text IS DISTINCT FROM current::text END;
--> statement-breakpoint
-- The members that differ: `scrape_data.NAME` → [former, new]. Some members change with every scrape, even if it finds nothing new.
CREATE OR REPLACE FUNCTION scrape_data_changes(former jsonb, current jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(jsonb_object_agg('scrape_data.' || key, jsonb_build_array(f.value, c.value)), '{}')
  FROM jsonb_each(former) f FULL JOIN jsonb_each(current) c USING (key)
  WHERE f.value IS DISTINCT FROM c.value
    AND key NOT IN ('fetched_at', 'sale_history_observed_at', 'http_etag', 'http_last_modified')
$$;
--> statement-breakpoint
-- The fields of a row of the log that changed. A row with a former point has both of its coordinates, also those that stayed the same.
CREATE OR REPLACE FUNCTION changed_fields(changes jsonb) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT key FROM jsonb_each(changes) WHERE value -> 0 IS DISTINCT FROM value -> 1
$$;
--> statement-breakpoint
-- What a row of the log changed, for an undo. A parcel has both coordinates or neither, so its point is one value.
CREATE OR REPLACE FUNCTION changes_to_undo(changes jsonb) RETURNS TABLE (field text, former jsonb, new jsonb)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT key, value -> 0, value -> 1 FROM jsonb_each(changes)
    WHERE key <> ALL ('{lon,lat}') AND value -> 0 IS DISTINCT FROM value -> 1
  UNION ALL
  SELECT 'point', jsonb_build_array(lon -> 0, lat -> 0), jsonb_build_array(lon -> 1, lat -> 1)
    FROM (SELECT changes -> 'lon' AS lon, changes -> 'lat' AS lat) p
    WHERE (lon -> 0, lat -> 0) IS DISTINCT FROM (lon -> 1, lat -> 1)
$$;
--> statement-breakpoint
-- The worker's connections plan each statement each time. Here the plan is always the same, so it is kept.
CREATE OR REPLACE FUNCTION parcels_logged_inserted() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = auto AS $$
DECLARE
  now_ timestamptz := clock_timestamp();
  cause_ text := coalesce(nullif(current_setting('parcel_changes.cause', true), ''), 'operator');
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
  PERFORM hold_parcel_watermark();
  INSERT INTO parcel_changes (version, at, parcel_id, source, source_parcel_id, action, cause, cause_id, changes, origin)
    SELECT nextval('parcel_versions'), now_, id, source, source_parcel_id, 'created', cause_,
      CASE WHEN cause_ <> 'operator' THEN cause_id END, '{}', CASE WHEN cause_ <> 'operator' THEN origin END
    FROM (SELECT id, source, source_parcel_id, cause_id, origin FROM new_rows ORDER BY id) created;
  NOTIFY parcel_changes;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_logged_inserted AFTER INSERT ON parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_logged_inserted();
--> statement-breakpoint
-- The connection keeps the plan that it made for the first statement, which may have had no rows. Without the setting, that plan is a
-- nested loop, which compares each row of a later update with every other row.
CREATE OR REPLACE FUNCTION parcels_logged_updated() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = auto SET enable_nestloop = off AS $$
DECLARE
  now_ timestamptz := clock_timestamp();
  cause_ text := coalesce(nullif(current_setting('parcel_changes.cause', true), ''), 'operator');
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
  PERFORM hold_parcel_watermark();
  WITH compared AS MATERIALIZED (
    SELECT n.id, n.source, n.source_parcel_id, n.cause_id, n.origin,
      CASE WHEN o.owner_name IS DISTINCT FROM n.owner_name THEN o.owner_name_normalized END AS former_owner,
      o.retired_at IS NULL AND n.retired_at IS NOT NULL AS retires, o.retired_at IS NOT NULL AND n.retired_at IS NULL AS returns,
      -- Members as text, because building jsonb takes four times as long. concat_ws leaves out nulls.
      concat_ws(',',
        -- Logs both coordinates, also when a boundary replaces the point, so that each row has the complete former point.
        CASE WHEN (o.lon, o.lat) IS DISTINCT FROM (n.lon, n.lat) OR (o.lon IS NOT NULL AND o.geom IS NULL AND n.geom IS NOT NULL)
          THEN '"lon":' || json_build_array(o.lon, n.lon) || ',"lat":' || json_build_array(o.lat, n.lat) END,
        CASE WHEN o.acreage IS DISTINCT FROM n.acreage THEN '"acreage":' || json_build_array(o.acreage, n.acreage) END,
        CASE WHEN o.owner_name IS DISTINCT FROM n.owner_name THEN '"owner_name":' || json_build_array(o.owner_name, n.owner_name) END,
        CASE WHEN o.owner_names_all IS DISTINCT FROM n.owner_names_all THEN '"owner_names_all":' || json_build_array(o.owner_names_all, n.owner_names_all) END,
        CASE WHEN o.owner_mailing_address IS DISTINCT FROM n.owner_mailing_address THEN '"owner_mailing_address":' || json_build_array(o.owner_mailing_address, n.owner_mailing_address) END,
        CASE WHEN o.situs_address IS DISTINCT FROM n.situs_address THEN '"situs_address":' || json_build_array(o.situs_address, n.situs_address) END,
        CASE WHEN o.situs_city IS DISTINCT FROM n.situs_city THEN '"situs_city":' || json_build_array(o.situs_city, n.situs_city) END,
        CASE WHEN o.situs_state IS DISTINCT FROM n.situs_state THEN '"situs_state":' || json_build_array(o.situs_state, n.situs_state) END,
        CASE WHEN o.situs_zip IS DISTINCT FROM n.situs_zip THEN '"situs_zip":' || json_build_array(o.situs_zip, n.situs_zip) END,
        CASE WHEN o.land_use_class IS DISTINCT FROM n.land_use_class THEN '"land_use_class":' || json_build_array(o.land_use_class, n.land_use_class) END,
        CASE WHEN o.zoning_code IS DISTINCT FROM n.zoning_code THEN '"zoning_code":' || json_build_array(o.zoning_code, n.zoning_code) END,
        CASE WHEN o.zoning_description IS DISTINCT FROM n.zoning_description THEN '"zoning_description":' || json_build_array(o.zoning_description, n.zoning_description) END,
        CASE WHEN o.is_agricultural IS DISTINCT FROM n.is_agricultural THEN '"is_agricultural":' || json_build_array(o.is_agricultural, n.is_agricultural) END,
        CASE WHEN o.assessed_value IS DISTINCT FROM n.assessed_value THEN '"assessed_value":' || json_build_array(o.assessed_value, n.assessed_value) END,
        CASE WHEN o.value_land IS DISTINCT FROM n.value_land THEN '"value_land":' || json_build_array(o.value_land, n.value_land) END,
        CASE WHEN o.value_improvement IS DISTINCT FROM n.value_improvement THEN '"value_improvement":' || json_build_array(o.value_improvement, n.value_improvement) END,
        CASE WHEN o.accounts IS DISTINCT FROM n.accounts THEN '"accounts":' || json_build_array(o.accounts, n.accounts) END,
        CASE WHEN o.retired_at IS DISTINCT FROM n.retired_at THEN '"retired_at":' || json_build_array(iso_utc(o.retired_at), iso_utc(n.retired_at)) END,
        CASE WHEN geometry_differs(o.geom, n.geom) THEN '"geom":' || json_build_array(geometry_hash(o.geom), geometry_hash(n.geom)) END
      ) AS members,
      CASE WHEN o.scrape_data <> n.scrape_data THEN scrape_data_changes(o.scrape_data, n.scrape_data) ELSE '{}' END AS scrape_changes,
      CASE WHEN geometry_differs(o.geom, n.geom) THEN o.geom END AS former_geom, o.bbox AS former_bbox
    FROM new_rows n JOIN old_rows o USING (id)
  ), replaced AS (
    INSERT INTO geometries (hash, geom, bbox)
      SELECT DISTINCT ON (hash) hash, former_geom, former_bbox
      FROM (SELECT geometry_hash(former_geom) AS hash, former_geom, former_bbox FROM compared WHERE former_geom IS NOT NULL) had
      ORDER BY hash
      ON CONFLICT DO NOTHING
  )
  INSERT INTO parcel_changes (version, at, parcel_id, source, source_parcel_id, action, cause, cause_id, changes, former_owner, origin)
    SELECT nextval('parcel_versions'), now_, id, source, source_parcel_id,
      CASE WHEN retires THEN 'retired' WHEN returns THEN 'returned' ELSE 'changed' END, cause_,
      CASE WHEN cause_ <> 'operator' THEN cause_id END,
      CASE WHEN scrape_changes = '{}' THEN ('{' || members || '}')::jsonb ELSE ('{' || members || '}')::jsonb || scrape_changes END,
      former_owner,
      CASE WHEN cause_ <> 'operator' THEN origin END
    FROM (SELECT * FROM compared WHERE members <> '' OR scrape_changes <> '{}' ORDER BY id) changed;
  IF FOUND THEN NOTIFY parcel_changes; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_logged_updated AFTER UPDATE ON parcels
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_logged_updated();
--> statement-breakpoint
-- The service retires parcels and never deletes them. If an operator deletes a parcel, all its values are logged.
CREATE OR REPLACE FUNCTION parcels_logged_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM old_rows) THEN RETURN NULL; END IF;
  PERFORM hold_parcel_watermark();
  INSERT INTO geometries (hash, geom, bbox)
    SELECT DISTINCT ON (hash) hash, geom, bbox FROM (SELECT geometry_hash(geom) AS hash, geom, bbox FROM old_rows WHERE geom IS NOT NULL) had
    ORDER BY hash
    ON CONFLICT DO NOTHING;
  INSERT INTO parcel_changes (version, at, parcel_id, source, source_parcel_id, action, cause, changes, former_owner)
    SELECT nextval('parcel_versions'), clock_timestamp(), id, source, source_parcel_id, 'deleted', 'operator', changes, owner_name_normalized
    FROM (
      SELECT id, source, source_parcel_id, owner_name_normalized, scrape_data_changes(scrape_data, '{}') || coalesce((
        SELECT jsonb_object_agg(key, jsonb_build_array(value, NULL))
        FROM jsonb_each(to_jsonb(o) || jsonb_build_object('geom', geometry_hash(geom), 'retired_at', iso_utc(retired_at)))
        WHERE value NOT IN ('null', '[]') AND key <> ALL ('{id,source,source_parcel_id,bbox,scrape_data,scraped_at,scraped_by,crawl_id,
          scrape_data_as_of,scrape_data_as_of_source,cause_id,origin,ingested_at,updated_at,owner_name_normalized}')
      ), '{}') AS changes
      FROM old_rows o ORDER BY id
    ) deleted;
  NOTIFY parcel_changes;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_logged_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_logged_deleted();
--> statement-breakpoint
-- When a source is renamed, its history is kept under the new name.
CREATE OR REPLACE FUNCTION parcel_changes_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE parcel_changes SET source = NEW.source WHERE source = OLD.source;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcel_changes_renamed AFTER UPDATE OF source ON sources
  FOR EACH ROW WHEN (OLD.source <> NEW.source) EXECUTE FUNCTION parcel_changes_renamed();
--> statement-breakpoint
-- The last scrape that a parcel has after a change: that of the change itself, or the one that an undo brought back, which can be none.
-- No row: the change is neither. A crawl also retires parcels that it did not list: these changes have no origin.
CREATE OR REPLACE FUNCTION last_scrape_of(cause text, moment timestamp with time zone, origin jsonb)
  RETURNS TABLE (at timestamp with time zone, adapter text) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT moment, origin ->> 'adapter' WHERE cause IN ('scrape', 'crawl') AND origin IS NOT NULL
  UNION ALL
  SELECT (origin -> 'last_scrape' ->> 'at')::timestamptz, origin -> 'last_scrape' ->> 'adapter'
    WHERE cause = 'undo' AND origin ? 'last_scrape'
$$;
--> statement-breakpoint
-- The values that restore a row of `parcels` (with jsonb_populate_record) to its state at `moment`: the former value of each field that
-- changed later. Null: the parcel was not known yet. The log omits scrapes that found nothing new, so `scraped_at` is the time of the
-- last scrape that found something. A statement that calls it must also name `parcel_changes` itself, so that it locks the log before it
-- decides what it sees. Otherwise it could wait here for a compaction, and see neither the former tables of a year nor the new one.
CREATE OR REPLACE FUNCTION parcel_values_to_put_back(parcel uuid, moment timestamp with time zone) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  is_new boolean;
  former jsonb;
  present record;
  members jsonb;
  data jsonb;
  scraped record;
BEGIN
  SELECT coalesce(bool_or(action = 'created'), false), coalesce(jsonb_object_agg(key, value) FILTER (WHERE key IS NOT NULL), '{}')
    INTO is_new, former
  FROM (
    SELECT DISTINCT ON (field.key) field.key, field.value -> 0 AS value, c.action
    FROM parcel_changes c LEFT JOIN LATERAL jsonb_each(c.changes) field ON true
    WHERE c.parcel_id = parcel AND c.at > moment
    ORDER BY field.key, c.version
  ) next_change;
  IF is_new THEN RETURN NULL; END IF;
  SELECT scrape_data, coalesce(scraped_at > moment, false) AS is_scraped_later, geom IS NULL AS has_no_boundary, lon, lat
    INTO present FROM parcels WHERE id = parcel;
  IF former = '{}' AND NOT present.is_scraped_later THEN RETURN former; END IF;
  IF former ?| '{geom,lon}' THEN
    IF NOT former ? 'lon' THEN
      former := former || jsonb_build_object('lon', present.lon, 'lat', present.lat);
    END IF;
    IF former ? 'geom' OR present.has_no_boundary THEN
      former := former || jsonb_build_object('bbox', box_at((former ->> 'lon')::float8, (former ->> 'lat')::float8)::text);
    END IF;
    IF former ? 'geom' THEN
      former := former || jsonb_build_object('geom', NULL)
        || coalesce((SELECT jsonb_build_object('geom', geom, 'bbox', bbox::text) FROM geometries WHERE hash = former ->> 'geom'), '{}');
    END IF;
  END IF;
  SELECT coalesce(jsonb_object_agg(substr(key, length('scrape_data.') + 1), value), '{}') INTO members
    FROM jsonb_each(former) WHERE starts_with(key, 'scrape_data.');
  SELECT coalesce(jsonb_object_agg(key, value), '{}') INTO data
    FROM jsonb_each(present.scrape_data || members) WHERE NOT (members ? key AND value = 'null');
  former := former || jsonb_build_object(
    'updated_at', (SELECT iso_utc(max(at)) FROM parcel_changes WHERE parcel_id = parcel AND at <= moment));
  -- An undo of a scrape can have set the time of the scrape back.
  IF present.is_scraped_later
    OR EXISTS (SELECT FROM parcel_changes c WHERE c.parcel_id = parcel AND c.at > moment AND c.cause = 'undo' AND c.origin ? 'last_scrape')
  THEN
    SELECT s.at, s.adapter INTO scraped FROM parcel_changes c CROSS JOIN LATERAL last_scrape_of(c.cause, c.at, c.origin) s
      WHERE c.parcel_id = parcel AND c.at <= moment ORDER BY c.version DESC LIMIT 1;
    data := data - '{fetched_at,sale_history_observed_at,http_etag,http_last_modified}'::text[];
    IF data <> '{}' THEN
      data := data || jsonb_build_object('fetched_at', coalesce(iso_utc(scraped.at), former ->> 'updated_at'));
    END IF;
    former := former || jsonb_build_object('scraped_at', iso_utc(scraped.at), 'scraped_by', scraped.adapter);
  END IF;
  former := former || jsonb_build_object(
    'scrape_data_as_of', data ->> 'data_as_of', 'scrape_data_as_of_source', data ->> 'data_as_of_source');
  RETURN former || jsonb_build_object('scrape_data', data);
END $$;
--> statement-breakpoint
-- Creates the partitions of this month and the next two. Months are in UTC. Rows of other months are in the default partition:
-- parcels that existed before the log, and changes from times when nothing created partitions.
CREATE OR REPLACE FUNCTION create_parcel_change_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamp;
  name text;
BEGIN
  FOR month IN SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month' FROM generate_series(0, 2) AS n LOOP
    name := 'parcel_changes_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE parcel_changes INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
    EXECUTE format('WITH moved AS (DELETE FROM parcel_changes_default WHERE at >= %L AND at < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
      month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC', name);
    EXECUTE format('ALTER TABLE parcel_changes ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END LOOP;
END $$;
