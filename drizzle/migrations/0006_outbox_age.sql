ALTER TABLE "search_outbox" ADD COLUMN "changed_at" timestamp(3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint

-- The functions of the triggers, with two changes: they note the time, and they wake the sync role only when they put something
-- up. An upsert fires the triggers of inserts and of updates whatever it wrote, and transactions that notify commit one at a time.
DO $$
DECLARE
  definition text;
BEGIN
  FOR definition IN
    SELECT pg_get_functiondef(oid) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND prosrc LIKE '%NOTIFY search_outbox;%'
  LOOP
    definition := replace(definition, 'SET seq = excluded.seq;', 'SET seq = excluded.seq, changed_at = excluded.changed_at;');
    EXECUTE replace(definition, 'NOTIFY search_outbox;', 'IF FOUND THEN NOTIFY search_outbox; END IF;');
  END LOOP;
END $$;
