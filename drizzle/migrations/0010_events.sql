CREATE TYPE "public"."event_kind" AS ENUM('job', 'reindex', 'tile_build');--> statement-breakpoint
CREATE TABLE "events" (
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" "event_kind" NOT NULL,
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"watchers" uuid[],
	"job_id" uuid,
	"job_status" "job_status",
	"attempts" integer,
	"error_message" text,
	"payload" jsonb,
	CONSTRAINT "events_xid_id_pk" PRIMARY KEY("xid","id")
);
--> statement-breakpoint
CREATE TABLE "events_forgotten" (
	"xid" "xid8" NOT NULL,
	"id" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD COLUMN "watchers" uuid[];--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD COLUMN "failures" jsonb;--> statement-breakpoint
CREATE INDEX "scrape_jobs_parcel" ON "scrape_jobs" USING btree ("source_parcel_id","id") WHERE status in ('done', 'error');--> statement-breakpoint
-- Rows come at one end and go at the other.
ALTER TABLE "events" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO events_forgotten VALUES ('0', 0);
--> statement-breakpoint

CREATE FUNCTION scrape_jobs_events_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, watchers, job_id, job_status, attempts, error_message)
    SELECT 'job', watchers, id, status, attempts, error_message FROM new_rows;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Leases, hand-overs and orders that came twice are no news. No join: it would be planned once, for as many rows as came first.
CREATE FUNCTION scrape_jobs_events_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, watchers, job_id, job_status, attempts, error_message)
    SELECT 'job', max(watchers), id, max(status), max(attempts), max(error_message)
    FROM (
      SELECT id, status, NULL::job_status AS was, watchers, attempts, error_message FROM new_rows
      UNION ALL SELECT id, NULL, status, NULL, NULL, NULL FROM old_rows
    ) steps
    GROUP BY id HAVING max(status) <> max(was);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER scrape_jobs_events_inserted AFTER INSERT ON scrape_jobs
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_events_inserted();
--> statement-breakpoint
CREATE TRIGGER scrape_jobs_events_updated AFTER UPDATE ON scrape_jobs
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_events_updated();
