CREATE TYPE "public"."search_work_kind" AS ENUM('check', 'rebuild');--> statement-breakpoint
CREATE TYPE "public"."search_work_state" AS ENUM('requested', 'running', 'done', 'failed');--> statement-breakpoint
CREATE TABLE "search_index_work" (
	"kind" "search_work_kind" PRIMARY KEY NOT NULL,
	"state" "search_work_state" NOT NULL,
	"requested_by" text,
	"requested_at" timestamp(3) with time zone,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"done" bigint,
	"total" bigint,
	"missing" bigint,
	"extra" bigint,
	"different" bigint,
	"checked_at" timestamp(3) with time zone,
	"error" text
);
--> statement-breakpoint

CREATE FUNCTION search_index_work_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (kind, payload) VALUES ('reindex', jsonb_build_object(
    'work', NEW.kind, 'state', NEW.state, 'done', NEW.done, 'total', NEW.total, 'missing', NEW.missing, 'extra', NEW.extra,
    'different', NEW.different, 'error', NEW.error
  ));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER search_index_work_events AFTER INSERT OR UPDATE ON search_index_work
  FOR EACH ROW EXECUTE FUNCTION search_index_work_events();
