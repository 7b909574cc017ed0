CREATE TYPE "public"."job_priority" AS ENUM('high', 'normal');--> statement-breakpoint
DROP INDEX "scrape_jobs_to_dispatch";--> statement-breakpoint
DROP INDEX "scrape_jobs_dispatched";--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD COLUMN "priority" "job_priority" DEFAULT 'normal' NOT NULL;--> statement-breakpoint
CREATE INDEX "scrape_jobs_to_dispatch" ON "scrape_jobs" USING btree ("vendor","priority","not_before","id") WHERE status = 'queued' and dispatched_at is null;--> statement-breakpoint
CREATE INDEX "scrape_jobs_dispatched" ON "scrape_jobs" USING btree ("vendor","priority","dispatched_at") WHERE status = 'queued' and dispatched_at is not null;