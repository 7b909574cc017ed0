CREATE OR REPLACE FUNCTION scrape_jobs_events_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, watchers, job_id, job_status, attempts, error_message)
    SELECT 'job', watchers, id, status, attempts, error_message FROM new_rows;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER scrape_jobs_events_inserted AFTER INSERT ON scrape_jobs
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_events_inserted();
--> statement-breakpoint
-- Writes an event only when a job's status changed: not for leases, dispatches or repeated requests. It does not join old and new
-- rows: the join would be planned once, for the number of rows in the first use.
CREATE OR REPLACE FUNCTION scrape_jobs_events_updated() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE TRIGGER scrape_jobs_events_updated AFTER UPDATE ON scrape_jobs
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION scrape_jobs_events_updated();
--> statement-breakpoint
-- Writes an event of the kind `work` for each step of any work. Each kind also has events of its own. The events of a tile build show
-- its record: progress is written here, and state changes in `tile_builds_events`. Extending a lease or repeating a request is not a
-- step.
CREATE OR REPLACE FUNCTION work_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  waits_until text := iso_utc(CASE WHEN NEW.status = 'queued' AND NEW.not_before > now() THEN NEW.not_before END);
BEGIN
  INSERT INTO events (kind, payload) VALUES ('work', jsonb_build_object(
    'id', NEW.id, 'kind', NEW.kind, 'subject', NEW.subject, 'source', NEW.source, 'status', NEW.status, 'attempts', NEW.attempts,
    'done', NEW.done, 'total', NEW.total, 'error_code', NEW.error_code, 'error_message', NEW.error_message, 'waits_until', waits_until
  ));
  IF NEW.kind = 'crawl' THEN
    INSERT INTO events (kind, payload) VALUES ('crawl', jsonb_build_object(
      'id', NEW.id, 'source', NEW.source, 'vendor', NEW.vendor, 'status', NEW.status, 'attempts', NEW.attempts,
      'pages', NEW.result -> 'pages', 'inserted', NEW.result -> 'inserted', 'updated', NEW.result -> 'updated',
      'unchanged', NEW.result -> 'unchanged', 'rejected', NEW.result -> 'rejected', 'total', NEW.total,
      'error_code', NEW.error_code, 'error_message', NEW.error_message, 'waits_until', waits_until
    ));
  ELSIF NEW.kind IN ('search_check', 'search_rebuild') THEN
    INSERT INTO events (kind, payload) VALUES ('reindex', jsonb_build_object(
      'work', substr(NEW.kind, 8),
      'state', CASE NEW.status WHEN 'queued' THEN 'requested' WHEN 'error' THEN 'failed' ELSE NEW.status::text END,
      'done', CASE WHEN NEW.kind = 'search_rebuild' AND NEW.started_at IS NOT NULL THEN NEW.done END, 'total', NEW.total,
      'missing', NEW.result -> 'missing', 'extra', NEW.result -> 'extra', 'different', NEW.result -> 'different',
      'error', NEW.error_message
    ));
  ELSIF NEW.kind = 'tile_build' AND NEW.status = 'running' THEN
    INSERT INTO events (kind, payload)
      SELECT 'tile_build', jsonb_build_object(
        'id', id, 'layer', layer, 'state', status, 'share', NEW.result -> 'share',
        'parcels', CASE WHEN NEW.result ? 'tiles' THEN NEW.done END, 'tiles', NEW.result -> 'tiles', 'error', error_message
      )
      FROM tile_builds WHERE work_id = NEW.id AND status = 'building';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER work_events_inserted AFTER INSERT ON work
  FOR EACH ROW EXECUTE FUNCTION work_events();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER work_events_updated AFTER UPDATE ON work
  FOR EACH ROW WHEN ((OLD.status, OLD.attempts, OLD.failures, OLD.done, OLD.total, OLD.result)
    IS DISTINCT FROM (NEW.status, NEW.attempts, NEW.failures, NEW.done, NEW.total, NEW.result))
  EXECUTE FUNCTION work_events();
--> statement-breakpoint
-- A running build is deleted when it found no changes; its event says `unchanged`. An update writes an event only if the state changed, and
-- not when a build is retired. Deleting a finished build writes none.
CREATE OR REPLACE FUNCTION tile_builds_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  build tile_builds := coalesce(NEW, OLD);
  w work;
BEGIN
  IF TG_OP = 'DELETE' AND build.status <> 'building' OR TG_OP = 'UPDATE' AND build.status IN (OLD.status, 'retired') THEN
    RETURN NULL;
  END IF;
  SELECT * INTO w FROM work WHERE id = build.work_id;
  INSERT INTO events (kind, payload) VALUES ('tile_build', jsonb_build_object(
    'id', build.id, 'layer', build.layer, 'state', CASE WHEN TG_OP = 'DELETE' THEN 'unchanged' ELSE build.status::text END,
    'share', w.result -> 'share', 'parcels', CASE WHEN w.result ? 'tiles' THEN w.done END, 'tiles', w.result -> 'tiles',
    'error', build.error_message
  ));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tile_builds_events AFTER INSERT OR UPDATE OR DELETE ON tile_builds
  FOR EACH ROW EXECUTE FUNCTION tile_builds_events();
