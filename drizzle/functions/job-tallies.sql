-- Returns the time after which a writer's errors are tallied. `oldest` is when the writer's oldest error ended. The time is stored in
-- `source_errors_since` and moves forward, about a day behind the clock. The writer of an error near that age locks the time until the
-- transaction ends, so that it does not move meanwhile. Newer errors are always tallied, so they need no lock.
CREATE OR REPLACE FUNCTION hold_errors_since(oldest timestamp with time zone) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  IF oldest IS NULL OR oldest > clock_timestamp() - interval '12 hours' THEN
    RETURN '-infinity';
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtext('source_errors_since'));
  RETURN (SELECT since FROM source_errors_since);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION scrape_jobs_tally_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  since timestamptz := hold_errors_since((SELECT min(finished_at) FROM new_rows WHERE status = 'error'));
BEGIN
  INSERT INTO source_tallies AS t (source, pid, queued, running, errors, last_success_at, last_error_at)
    SELECT source, pg_backend_pid(), count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'running'),
      count(*) FILTER (WHERE status = 'error' AND finished_at > since),
      max(finished_at) FILTER (WHERE status = 'done'), max(finished_at) FILTER (WHERE status = 'error')
    FROM new_rows GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET queued = t.queued + excluded.queued, running = t.running + excluded.running,
      errors = t.errors + excluded.errors, last_success_at = greatest(t.last_success_at, excluded.last_success_at),
      last_error_at = greatest(t.last_error_at, excluded.last_error_at);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER scrape_jobs_tally_inserted AFTER INSERT ON scrape_jobs
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_inserted();
--> statement-breakpoint
-- The worker's connections plan each statement each time. Here the plan is always the same, so it is kept.
CREATE OR REPLACE FUNCTION scrape_jobs_tally_updated() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = auto AS $$
DECLARE
  since timestamptz := hold_errors_since(least(
    (SELECT min(finished_at) FROM new_rows WHERE status = 'error'), (SELECT min(finished_at) FROM old_rows WHERE status = 'error')
  ));
BEGIN
  -- Most updates that change no status (leases, dispatches) add up to zero and write nothing.
  INSERT INTO source_tallies AS t (source, pid, queued, running, errors, last_success_at, last_error_at)
    SELECT source, pg_backend_pid(), queued, running, errors, last_success_at, last_error_at
    FROM (
      SELECT source, coalesce(sum(n) FILTER (WHERE status = 'queued'), 0) AS queued,
        coalesce(sum(n) FILTER (WHERE status = 'running'), 0) AS running,
        coalesce(sum(n) FILTER (WHERE status = 'error' AND finished_at > since), 0) AS errors,
        max(finished_at) FILTER (WHERE n = 1 AND status = 'done') AS last_success_at,
        max(finished_at) FILTER (WHERE n = 1 AND status = 'error') AS last_error_at
      FROM (
        SELECT source, status, finished_at, 1 AS n FROM new_rows
        UNION ALL SELECT source, status, finished_at, -1 FROM old_rows
      ) steps
      GROUP BY source
    ) change
    WHERE queued <> 0 OR running <> 0 OR errors <> 0 OR last_success_at IS NOT NULL OR last_error_at IS NOT NULL
    ON CONFLICT (source, pid) DO UPDATE SET queued = t.queued + excluded.queued, running = t.running + excluded.running,
      errors = t.errors + excluded.errors, last_success_at = greatest(t.last_success_at, excluded.last_success_at),
      last_error_at = greatest(t.last_error_at, excluded.last_error_at);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER scrape_jobs_tally_updated AFTER UPDATE ON scrape_jobs
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_updated();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION scrape_jobs_tally_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  since timestamptz := hold_errors_since((SELECT min(finished_at) FROM old_rows WHERE status = 'error'));
BEGIN
  INSERT INTO source_tallies AS t (source, pid, queued, running, errors)
    SELECT source, pg_backend_pid(), -count(*) FILTER (WHERE status = 'queued'), -count(*) FILTER (WHERE status = 'running'),
      -count(*) FILTER (WHERE status = 'error')
    FROM old_rows WHERE status IN ('queued', 'running') OR status = 'error' AND finished_at > since GROUP BY source
    ON CONFLICT (source, pid) DO UPDATE SET queued = t.queued + excluded.queued, running = t.running + excluded.running,
      errors = t.errors + excluded.errors;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER scrape_jobs_tally_deleted AFTER DELETE ON scrape_jobs
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_deleted();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION scrape_jobs_tally_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE source_tallies SET queued = 0, running = 0, errors = 0 WHERE queued <> 0 OR running <> 0 OR errors <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER scrape_jobs_tally_truncated AFTER TRUNCATE ON scrape_jobs
  FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_tally_truncated();
