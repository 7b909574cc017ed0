-- Triggers on parcels look for entities to link, and triggers on entities look for parcels. Two concurrent transactions, one on each
-- side, would miss each other. So a transaction that writes entities locks out those that write parcels.
CREATE OR REPLACE FUNCTION lock_links_shared() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('entity_parcels'));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION lock_links_exclusive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('entity_parcels'));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_lock_links BEFORE INSERT OR UPDATE OF owner_name, retired_at ON parcels
  FOR EACH STATEMENT EXECUTE FUNCTION lock_links_shared();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER entities_lock_links BEFORE INSERT OR UPDATE OF name ON entities
  FOR EACH STATEMENT EXECUTE FUNCTION lock_links_exclusive();
