CREATE TABLE "source_tallies" (
	"source" text NOT NULL,
	"pid" integer NOT NULL,
	"parcels" bigint DEFAULT 0 NOT NULL,
	"queued" bigint DEFAULT 0 NOT NULL,
	"running" bigint DEFAULT 0 NOT NULL,
	"last_success_at" timestamp(3) with time zone,
	"last_error_at" timestamp(3) with time zone,
	CONSTRAINT "source_tallies_source_pid_pk" PRIMARY KEY("source","pid")
);
--> statement-breakpoint
ALTER TABLE "vendor_concurrency" ADD COLUMN "tuner_state" jsonb;--> statement-breakpoint
ALTER TABLE "vendor_concurrency" ADD COLUMN "breaker_opened_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "vendor_concurrency" ADD COLUMN "probed_at" timestamp(3) with time zone;--> statement-breakpoint
CREATE INDEX "scrape_jobs_errors" ON "scrape_jobs" USING btree ("finished_at") INCLUDE ("source") WHERE status = 'error';
--> statement-breakpoint
-- Rows change all the time and in place: room for it in every page, and soon cleaned.
ALTER TABLE "source_tallies" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint

CREATE FUNCTION parcels_tally_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    SELECT source, pg_backend_pid(), count(*) FROM new_rows GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION parcels_tally_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    SELECT source, pg_backend_pid(), -count(*) FROM old_rows GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- A parcel only moves to another slug when the slug itself is changed.
CREATE FUNCTION parcels_tally_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, parcels)
    VALUES (OLD.source, pg_backend_pid(), -1), (NEW.source, pg_backend_pid(), 1)
    ON CONFLICT (source, pid) DO UPDATE SET parcels = t.parcels + excluded.parcels;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION parcels_tally_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE source_tallies SET parcels = 0 WHERE parcels <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER parcels_tally_inserted AFTER INSERT ON parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_inserted();
--> statement-breakpoint
CREATE TRIGGER parcels_tally_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_deleted();
--> statement-breakpoint
CREATE TRIGGER parcels_tally_moved AFTER UPDATE OF source ON parcels
  FOR EACH ROW WHEN (OLD.source <> NEW.source) EXECUTE FUNCTION parcels_tally_moved();
--> statement-breakpoint
CREATE TRIGGER parcels_tally_truncated AFTER TRUNCATE ON parcels
  FOR EACH STATEMENT EXECUTE FUNCTION parcels_tally_truncated();
--> statement-breakpoint

CREATE FUNCTION scrape_jobs_tally_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, queued, running, last_success_at, last_error_at)
    SELECT source, pg_backend_pid(), count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'running'),
      max(finished_at) FILTER (WHERE status = 'done'), max(finished_at) FILTER (WHERE status = 'error')
    FROM new_rows GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET queued = t.queued + excluded.queued, running = t.running + excluded.running,
      last_success_at = greatest(t.last_success_at, excluded.last_success_at),
      last_error_at = greatest(t.last_error_at, excluded.last_error_at);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION scrape_jobs_tally_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Most updates that change no status (leases, hand-overs) come out as nothing, and write nothing.
  INSERT INTO source_tallies AS t (source, pid, queued, running, last_success_at, last_error_at)
    SELECT source, pg_backend_pid(), coalesce(sum(n) FILTER (WHERE status = 'queued'), 0), coalesce(sum(n) FILTER (WHERE status = 'running'), 0),
      max(finished_at) FILTER (WHERE n = 1 AND status = 'done'), max(finished_at) FILTER (WHERE n = 1 AND status = 'error')
    FROM (
      SELECT source, status, finished_at, 1 AS n FROM new_rows
      UNION ALL SELECT source, status, NULL, -1 FROM old_rows
    ) steps
    GROUP BY source
    HAVING coalesce(sum(n) FILTER (WHERE status = 'queued'), 0) <> 0
      OR coalesce(sum(n) FILTER (WHERE status = 'running'), 0) <> 0
      OR bool_or(n = 1 AND status IN ('done', 'error'))
    ON CONFLICT (source, pid) DO UPDATE SET queued = t.queued + excluded.queued, running = t.running + excluded.running,
      last_success_at = greatest(t.last_success_at, excluded.last_success_at),
      last_error_at = greatest(t.last_error_at, excluded.last_error_at);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION scrape_jobs_tally_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO source_tallies AS t (source, pid, queued, running)
    SELECT source, pg_backend_pid(), -count(*) FILTER (WHERE status = 'queued'), -count(*) FILTER (WHERE status = 'running')
    FROM old_rows GROUP BY source HAVING bool_or(status IN ('queued', 'running'))
    ON CONFLICT (source, pid) DO UPDATE SET queued = t.queued + excluded.queued, running = t.running + excluded.running;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION scrape_jobs_tally_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE source_tallies SET queued = 0, running = 0 WHERE queued <> 0 OR running <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER scrape_jobs_tally_inserted AFTER INSERT ON scrape_jobs
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_inserted();
--> statement-breakpoint
CREATE TRIGGER scrape_jobs_tally_updated AFTER UPDATE ON scrape_jobs
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_updated();
--> statement-breakpoint
CREATE TRIGGER scrape_jobs_tally_deleted AFTER DELETE ON scrape_jobs
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_deleted();
--> statement-breakpoint
CREATE TRIGGER scrape_jobs_tally_truncated AFTER TRUNCATE ON scrape_jobs
  FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_truncated();
--> statement-breakpoint

-- What is there already. The triggers above hold their tables until this migration is through: nothing is missed in between.
INSERT INTO source_tallies (source, pid, parcels) SELECT source, 0, count(*) FROM parcels GROUP BY source;
--> statement-breakpoint
INSERT INTO source_tallies AS t (source, pid, queued, running, last_success_at, last_error_at)
  SELECT source, 0, count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'running'),
    max(finished_at) FILTER (WHERE status = 'done'), max(finished_at) FILTER (WHERE status = 'error')
  FROM scrape_jobs GROUP BY source
  ON CONFLICT (source, pid) DO UPDATE SET queued = excluded.queued, running = excluded.running,
    last_success_at = excluded.last_success_at, last_error_at = excluded.last_error_at;
