-- These triggers advance a sequence by one for each parcel whose drawing changed. Retired parcels are not drawn. The service builds the
-- tiles again when the sequence has advanced far enough since the last build. The triggers compare the columns that tiles carry by
-- default (tiles-build/build.ts), and geometry last. With a sequence, writers do not wait for each other. It also counts changes that
-- are rolled back, which is harmless.
CREATE OR REPLACE FUNCTION parcels_drawn_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count(nextval('drawn_changes_seq')) FROM new_rows WHERE bbox IS NOT NULL AND retired_at IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_drawn_inserted AFTER INSERT ON parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_drawn_inserted();
--> statement-breakpoint
-- An upsert also fires this trigger, often without rows, and the connection keeps the plan made for no rows. Without the setting, that
-- plan is a nested loop, which compares each row of a later update with every other row.
CREATE OR REPLACE FUNCTION parcels_drawn_updated() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  PERFORM count(nextval('drawn_changes_seq')) FROM new_rows p JOIN old_rows o USING (id)
    WHERE (p.bbox IS NOT NULL OR o.bbox IS NOT NULL)
      AND (p.retired_at IS NULL OR o.retired_at IS NULL)
      AND ((p.source, p.source_parcel_id, p.situs_address, p.owner_name, p.retired_at IS NULL, p.bbox::text, p.geom::text)
        IS DISTINCT FROM (o.source, o.source_parcel_id, o.situs_address, o.owner_name, o.retired_at IS NULL, o.bbox::text, o.geom::text));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_drawn_updated AFTER UPDATE ON parcels
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_drawn_updated();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION parcels_drawn_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count(nextval('drawn_changes_seq')) FROM old_rows WHERE bbox IS NOT NULL AND retired_at IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_drawn_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_drawn_deleted();
