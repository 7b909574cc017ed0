CREATE TABLE "history_counted" (
	"up_to" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "source_days" (
	"source" text NOT NULL,
	"day" date NOT NULL,
	"finished" bigint NOT NULL,
	"errors" bigint NOT NULL,
	CONSTRAINT "source_days_source_day_pk" PRIMARY KEY("source","day")
);
--> statement-breakpoint
CREATE TABLE "vendor_history" (
	"vendor" text NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"target" integer NOT NULL,
	"finished" integer NOT NULL,
	"errors" integer NOT NULL,
	"p95_ms" integer,
	CONSTRAINT "vendor_history_vendor_at_pk" PRIMARY KEY("vendor","at")
);
--> statement-breakpoint
CREATE INDEX "source_days_day" ON "source_days" USING btree ("day");--> statement-breakpoint
INSERT INTO history_counted VALUES (date_bin('5 minutes', now(), '2000-01-01Z'));
--> statement-breakpoint
-- What is there already; of tries only an hour is.
INSERT INTO source_days (source, day, finished, errors)
  SELECT source, (finished_at AT TIME ZONE 'UTC')::date, count(*), count(*) FILTER (WHERE status = 'error') FROM scrape_jobs
  WHERE status IN ('done', 'error') AND finished_at < (SELECT up_to FROM history_counted) GROUP BY 1, 2;
