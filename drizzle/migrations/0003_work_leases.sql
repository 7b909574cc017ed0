ALTER TABLE "tile_builds" DROP CONSTRAINT "tile_builds_work_id_work_id_fk";
--> statement-breakpoint
ALTER TABLE "work" ADD COLUMN "priority" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "work" ADD COLUMN "ordering_key" text;--> statement-breakpoint
ALTER TABLE "tile_builds" ADD CONSTRAINT "tile_builds_work_id_work_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."work"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tile_builds_work" ON "tile_builds" USING btree ("work_id");--> statement-breakpoint
CREATE INDEX "work_claim" ON "work" USING btree ("kind","priority" DESC NULLS FIRST,"id") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "work_ordering" ON "work" USING btree ("kind","ordering_key","id") WHERE status in ('queued', 'running') and ordering_key is not null;--> statement-breakpoint
ALTER TABLE "tile_builds" DROP COLUMN "share";--> statement-breakpoint
ALTER TABLE "tile_builds" DROP COLUMN "parcels";--> statement-breakpoint
ALTER TABLE "tile_builds" DROP COLUMN "tiles";--> statement-breakpoint
-- Builds and work on the search index had no lease of their own. They are lost until their leader takes them up again.
UPDATE work SET lease_expires_at = now() WHERE status = 'running' AND lease_expires_at IS NULL;--> statement-breakpoint
ALTER TABLE "work" ADD CONSTRAINT "work_leased_while_running" CHECK ((status = 'running') = (lease_expires_at is not null));