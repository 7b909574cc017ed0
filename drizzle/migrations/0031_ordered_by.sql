DROP INDEX "scrape_jobs_to_dispatch";--> statement-breakpoint
DROP INDEX "scrape_jobs_dispatched";--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD COLUMN "ordered_by" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL;--> statement-breakpoint
CREATE INDEX "scrape_jobs_to_dispatch" ON "scrape_jobs" USING btree ("vendor","priority","ordered_by","not_before","id") WHERE status = 'queued' and dispatched_at is null;--> statement-breakpoint
CREATE INDEX "scrape_jobs_dispatched" ON "scrape_jobs" USING btree ("vendor","priority","ordered_by","dispatched_at") WHERE status = 'queued' and dispatched_at is not null;