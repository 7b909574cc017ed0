-- A moment has milliseconds and is rounded to them: half of all would lie ahead, and what may begin at once would not.
ALTER TABLE "crawls" ALTER COLUMN "not_before" SET DEFAULT date_trunc('milliseconds', now());--> statement-breakpoint
ALTER TABLE "scrape_jobs" ALTER COLUMN "not_before" SET DEFAULT date_trunc('milliseconds', now());