-- A parcel that is retired again has other successors than before. But an undo can restore a former retirement, whose time has passed,
-- and with it the successors of that time.
CREATE OR REPLACE FUNCTION parcels_unlinked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('parcel_changes.cause', true) = 'undo' AND NEW.retired_at < date_trunc('milliseconds', now()) THEN RETURN NULL; END IF;
  DELETE FROM parcel_links WHERE predecessor = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_unlinked AFTER UPDATE OF retired_at ON parcels
  FOR EACH ROW WHEN (OLD.retired_at IS NULL AND NEW.retired_at IS NOT NULL) EXECUTE FUNCTION parcels_unlinked();
