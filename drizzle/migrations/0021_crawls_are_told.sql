ALTER TYPE "public"."event_kind" ADD VALUE 'crawl' BEFORE 'reindex';--> statement-breakpoint
DROP INDEX "crawl_rejects_crawl";--> statement-breakpoint
ALTER TABLE "crawl_rejects" ADD COLUMN "id" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "crawl_rejects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "crawl_rejects" ADD CONSTRAINT "crawl_rejects_crawl_id_id_pk" PRIMARY KEY("crawl_id","id");--> statement-breakpoint

-- Each page is news; a lease that is extended, or a second one who asks, is none.
CREATE FUNCTION crawls_events() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER crawls_events_inserted AFTER INSERT ON crawls
  FOR EACH ROW EXECUTE FUNCTION crawls_events();
--> statement-breakpoint
CREATE TRIGGER crawls_events_updated AFTER UPDATE ON crawls
  FOR EACH ROW WHEN ((OLD.status, OLD.pages, OLD.failures) IS DISTINCT FROM (NEW.status, NEW.pages, NEW.failures))
  EXECUTE FUNCTION crawls_events();
