-- Writes an event when a load is held, applied, discarded, undone or fails.
CREATE OR REPLACE FUNCTION load_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, payload) VALUES ('load', jsonb_build_object(
    'id', NEW.id, 'source', NEW.source, 'load_kind', NEW.kind, 'status', NEW.status, 'counts', NEW.counts, 'verdict', NEW.verdict,
    'undo', NEW.undo, 'note', NEW.note
  ));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER load_events AFTER UPDATE ON loads
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status NOT IN ('staging', 'applying')) EXECUTE FUNCTION load_events();
