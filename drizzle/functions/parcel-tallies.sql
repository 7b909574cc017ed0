-- Counts the parcels that each source lists, in `source_tallies`.
CREATE OR REPLACE FUNCTION parcels_tally_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    SELECT source, pg_backend_pid(), count(*) FROM new_rows WHERE retired_at IS NULL GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_tally_inserted AFTER INSERT ON parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_inserted();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION parcels_tally_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    SELECT source, pg_backend_pid(), -count(*) FROM old_rows WHERE retired_at IS NULL GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_tally_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_deleted();
--> statement-breakpoint
-- Parcels that are retired or return, and all parcels of a source whose slug changes.
CREATE OR REPLACE FUNCTION parcels_tally_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    SELECT source, pg_backend_pid(), sum(n) FROM (
      SELECT source, 1 AS n FROM new_rows WHERE retired_at IS NULL
      UNION ALL SELECT source, -1 FROM old_rows WHERE retired_at IS NULL
    ) steps
    GROUP BY source HAVING sum(n) <> 0
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_tally_updated AFTER UPDATE ON parcels
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_updated();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION parcels_tally_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE source_tallies SET parcels = 0 WHERE parcels <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_tally_truncated AFTER TRUNCATE ON parcels
  FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_truncated();
