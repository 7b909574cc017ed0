-- A parcel that its source lists again has no successors.
CREATE OR REPLACE FUNCTION parcels_unlinked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM parcel_links WHERE predecessor = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_unlinked AFTER UPDATE OF retired_at ON parcels
  FOR EACH ROW WHEN (OLD.retired_at IS NOT NULL AND NEW.retired_at IS NULL) EXECUTE FUNCTION parcels_unlinked();
