ALTER TYPE "public"."tile_build_status" ADD VALUE 'unchanged';--> statement-breakpoint
CREATE TABLE "tile_build_requests" (
	"layer" text PRIMARY KEY NOT NULL,
	"requested_by" text NOT NULL,
	"requested_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tile_builds" ADD COLUMN "requested_by" text;--> statement-breakpoint
ALTER TABLE "tile_builds" ADD COLUMN "share" real;--> statement-breakpoint
ALTER TABLE "tile_builds" ADD COLUMN "parcels" bigint;--> statement-breakpoint
ALTER TABLE "tile_builds" ADD COLUMN "tiles" bigint;--> statement-breakpoint
ALTER TABLE "tile_builds" ADD COLUMN "finished_at" timestamp(3) with time zone;--> statement-breakpoint
UPDATE tile_builds SET finished_at = coalesce(published_at, started_at) WHERE status <> 'building';
--> statement-breakpoint

-- What a build that leaves no record found is told all the same. That an archive makes room for a newer one is no news.
CREATE FUNCTION tile_builds_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  build tile_builds := coalesce(NEW, OLD);
BEGIN
  IF TG_OP = 'DELETE' AND build.status <> 'building' OR TG_OP = 'UPDATE' AND build.status = 'retired' THEN
    RETURN NULL;
  END IF;
  INSERT INTO events (kind, payload) VALUES ('tile_build', jsonb_build_object(
    'id', build.id, 'layer', build.layer, 'state', CASE WHEN TG_OP = 'DELETE' THEN 'unchanged' ELSE build.status::text END,
    'share', build.share, 'parcels', build.parcels, 'tiles', build.tiles, 'error', build.error_message
  ));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tile_builds_events AFTER INSERT OR UPDATE OR DELETE ON tile_builds
  FOR EACH ROW EXECUTE FUNCTION tile_builds_events();
