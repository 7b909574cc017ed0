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
-- Each page is an event. An extended lease or a second request is not.
CREATE OR REPLACE FUNCTION crawls_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, payload) VALUES ('crawl', jsonb_build_object(
    'id', NEW.id, 'source', NEW.source, 'vendor', NEW.vendor, 'status', NEW.status, 'attempts', NEW.attempts,
    'pages', NEW.pages, 'inserted', NEW.inserted, 'updated', NEW.updated, 'unchanged', NEW.unchanged,
    'rejected', NEW.rejected, 'total', NEW.total, 'error_code', NEW.error_code, 'error_message', NEW.error_message,
    'waits_until', iso_utc(CASE WHEN NEW.status = 'queued' AND NEW.not_before > now() THEN NEW.not_before END)
  ));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER crawls_events_inserted AFTER INSERT ON crawls
  FOR EACH ROW EXECUTE FUNCTION crawls_events();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER crawls_events_updated AFTER UPDATE ON crawls
  FOR EACH ROW WHEN ((OLD.status, OLD.pages, OLD.failures) IS DISTINCT FROM (NEW.status, NEW.pages, NEW.failures))
  EXECUTE FUNCTION crawls_events();
--> statement-breakpoint
-- A deleted build found no changes, and its followers are told so. Three changes are not events: a build is retired, a finished build
-- is deleted, a published build turns out to be still current.
CREATE OR REPLACE FUNCTION tile_builds_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  build tile_builds := coalesce(NEW, OLD);
BEGIN
  IF TG_OP = 'DELETE' AND build.status <> 'building' OR TG_OP = 'UPDATE' AND build.status = 'retired'
    OR TG_OP = 'UPDATE' AND build.status = 'published' AND OLD.status = 'published' THEN
    RETURN NULL;
  END IF;
  INSERT INTO events (kind, payload) VALUES ('tile_build', jsonb_build_object(
    'id', build.id, 'layer', build.layer, 'state', CASE WHEN TG_OP = 'DELETE' THEN 'unchanged' ELSE build.status::text END,
    'share', build.share, 'parcels', build.parcels, 'tiles', build.tiles, 'error', build.error_message
  ));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tile_builds_events AFTER INSERT OR UPDATE OR DELETE ON tile_builds
  FOR EACH ROW EXECUTE FUNCTION tile_builds_events();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION search_index_work_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, payload) VALUES ('reindex', jsonb_build_object(
    'work', NEW.kind, 'state', NEW.state, 'done', NEW.done, 'total', NEW.total, 'missing', NEW.missing, 'extra', NEW.extra,
    'different', NEW.different, 'error', NEW.error
  ));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER search_index_work_events AFTER INSERT OR UPDATE ON search_index_work
  FOR EACH ROW EXECUTE FUNCTION search_index_work_events();
