-- A cancel that met a claim took its transaction's time, which was before the start: such jobs end when they began.
UPDATE "crawls" SET finished_at = started_at WHERE finished_at < started_at;--> statement-breakpoint
UPDATE "scrape_jobs" SET finished_at = greatest(finished_at, started_at), duration_ms = 0
  WHERE finished_at < started_at OR duration_ms < 0;--> statement-breakpoint
ALTER TABLE "crawls" ADD CONSTRAINT "crawls_ends_after_start" CHECK (finished_at >= started_at);--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD CONSTRAINT "scrape_jobs_ends_after_start" CHECK (finished_at >= started_at and duration_ms >= 0);