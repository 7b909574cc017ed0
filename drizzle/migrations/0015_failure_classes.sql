CREATE TYPE "public"."source_problem" AS ENUM('site_changed', 'fetch_failed');--> statement-breakpoint
ALTER TYPE "public"."event_kind" ADD VALUE 'source';--> statement-breakpoint
CREATE TABLE "source_problems" (
	"source" text PRIMARY KEY NOT NULL,
	"problem" "source_problem" NOT NULL,
	"failure_class" text NOT NULL,
	"failures" integer NOT NULL,
	"since" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD COLUMN "failure_class" text;--> statement-breakpoint
ALTER TABLE "source_problems" ADD CONSTRAINT "source_problems_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "scrape_jobs_runs" ON "scrape_jobs" USING btree ("source","finished_at","error_code","failure_class") WHERE status in ('done', 'error');