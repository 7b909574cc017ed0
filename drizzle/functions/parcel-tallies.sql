CREATE OR REPLACE FUNCTION parcels_tally_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    SELECT source, pg_backend_pid(), count(*) FROM new_rows GROUP BY source
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
    SELECT source, pg_backend_pid(), -count(*) FROM old_rows GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_tally_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_deleted();
--> statement-breakpoint
-- The source of a parcel changes only when the slug of its source changes.
CREATE OR REPLACE FUNCTION parcels_tally_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    VALUES (OLD.source, pg_backend_pid(), -1), (NEW.source, pg_backend_pid(), 1)
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_tally_moved AFTER UPDATE OF source ON parcels
  FOR EACH ROW WHEN (OLD.source <> NEW.source) EXECUTE FUNCTION parcels_tally_moved();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION parcels_tally_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE source_tallies SET parcels = 0 WHERE parcels <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_tally_truncated AFTER TRUNCATE ON parcels
  FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_truncated();
