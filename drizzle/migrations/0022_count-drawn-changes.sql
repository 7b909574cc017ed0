ALTER TABLE "tile_builds" ADD COLUMN "drawn_changes" bigint;--> statement-breakpoint
ALTER TABLE "tile_builds" ADD COLUMN "current_at" timestamp(3) with time zone;UPDATE tile_builds SET drawn_changes = 0, current_at = started_at WHERE status = 'published';
--> statement-breakpoint

-- One step for each parcel whose drawing has changed, whoever changed it: how far it moved tells when tiles are worth building
-- anew. The columns are those that tiles carry unless told otherwise (tiles-build/build.ts), and geometry, which is compared last.
-- A sequence, since no writer waits for another's: it counts what is rolled back too, and that does no harm.
CREATE SEQUENCE drawn_changes_seq;
--> statement-breakpoint
CREATE FUNCTION parcels_drawn_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count(nextval('drawn_changes_seq')) FROM new_rows WHERE bbox IS NOT NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION parcels_drawn_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count(nextval('drawn_changes_seq')) FROM new_rows p JOIN old_rows o USING (id)
    WHERE (p.bbox IS NOT NULL OR o.bbox IS NOT NULL)
      AND ((p.source, p.source_parcel_id, p.situs_address, p.owner_name, p.geom::text)
        IS DISTINCT FROM (o.source, o.source_parcel_id, o.situs_address, o.owner_name, o.geom::text));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION parcels_drawn_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count(nextval('drawn_changes_seq')) FROM old_rows WHERE bbox IS NOT NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER parcels_drawn_inserted AFTER INSERT ON parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_drawn_inserted();
--> statement-breakpoint
CREATE TRIGGER parcels_drawn_updated AFTER UPDATE ON parcels
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_drawn_updated();
--> statement-breakpoint
CREATE TRIGGER parcels_drawn_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_drawn_deleted();
--> statement-breakpoint

-- As before; and that an archive was found to be as the rows still are is no news either.
CREATE OR REPLACE FUNCTION tile_builds_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  build tile_builds := coalesce(NEW, OLD);
BEGIN
  IF TG_OP = 'DELETE' AND build.status <> 'building' OR TG_OP = 'UPDATE' AND build.status = 'retired'
    OR TG_OP = 'UPDATE' AND build.status = 'published' AND OLD.status = 'published' THEN
    RETURN NULL;
  END IF;
  INSERT INTO events (kind, payload) VALUES ('tile_build', jsonb_build_object(
    'id', build.id, 'layer', build.layer, 'state', CASE WHEN TG_OP = 'DELETE' THEN 'unchanged' ELSE build.status::text END,
    'share', build.share, 'parcels', build.parcels, 'tiles', build.tiles, 'error', build.error_message
  ));
  RETURN NULL;
END $$;
