CREATE TABLE "scrape_attempts" (
	"job_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"vendor" text NOT NULL,
	"outcome" text NOT NULL,
	"duration_ms" integer NOT NULL,
	"retry_after_ms" integer,
	"ended_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "scrape_attempts_window" ON "scrape_attempts" USING btree ("vendor","ended_at") INCLUDE ("outcome","duration_ms","retry_after_ms");
--> statement-breakpoint
-- Rows come and go all the time: without this the index-only scans of the window would look at the table again and again.
ALTER TABLE "scrape_attempts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);