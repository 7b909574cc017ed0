DROP INDEX "scrape_jobs_to_dispatch";--> statement-breakpoint
ALTER TABLE "source_refresh_policies" ADD COLUMN "run_started_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "source_refresh_policies" ADD COLUMN "run_cursor" text;--> statement-breakpoint
ALTER TABLE "source_refresh_policies" ADD COLUMN "run_ends_at" uuid;--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD COLUMN "handed_back" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "scrape_jobs_dispatched" ON "scrape_jobs" USING btree ("vendor","dispatched_at") WHERE status = 'queued' and dispatched_at is not null;--> statement-breakpoint
CREATE INDEX "scrape_jobs_to_dispatch" ON "scrape_jobs" USING btree ("vendor","not_before","id") WHERE status = 'queued' and dispatched_at is null;