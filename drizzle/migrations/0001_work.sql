ALTER TYPE "public"."event_kind" ADD VALUE 'work';--> statement-breakpoint
CREATE TABLE "work" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"kind" text NOT NULL,
	"subject" text,
	"source" text,
	"vendor" text,
	"payload" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"status" "job_status" DEFAULT 'queued' NOT NULL,
	"cursor" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"done" bigint DEFAULT 0 NOT NULL,
	"total" bigint,
	"result" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"error_code" text,
	"error_message" text,
	"requested_by" text,
	"not_before" timestamp(3) with time zone DEFAULT date_trunc('milliseconds', now()) NOT NULL,
	"lease_expires_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	CONSTRAINT "work_ends_after_start" CHECK (finished_at >= started_at)
);
--> statement-breakpoint
CREATE TABLE "work_rejects" (
	"work_id" uuid NOT NULL,
	"id" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "work_rejects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"what" text NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "work_rejects_work_id_id_pk" PRIMARY KEY("work_id","id")
);
--> statement-breakpoint
ALTER TABLE "tile_builds" ADD COLUMN "work_id" uuid;--> statement-breakpoint
ALTER TABLE "work_rejects" ADD CONSTRAINT "work_rejects_work_id_work_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."work"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work" ADD CONSTRAINT "work_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "tile_builds" ADD CONSTRAINT "tile_builds_work_id_work_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."work"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint

-- Crawls keep their ids, and go on from the page where they are.
INSERT INTO work (id, kind, subject, source, vendor, payload, status, cursor, attempts, failures, done, total, result, error_code,
    error_message, requested_by, not_before, lease_expires_at, created_at, started_at, finished_at)
  SELECT id, 'crawl', source, source, vendor, jsonb_build_object('base_url', base_url, 'vendor_config', vendor_config), status, cursor,
    attempts, failures, records, total, jsonb_build_object('pages', pages, 'inserted', inserted, 'updated', updated,
      'unchanged', unchanged, 'rejected', rejected), error_code, error_message, requested_by, not_before, lease_expires_at, created_at,
    started_at, finished_at
  FROM crawls;
--> statement-breakpoint
INSERT INTO work_rejects (work_id, what, reason) SELECT crawl_id, what, reason FROM crawl_rejects ORDER BY id;
--> statement-breakpoint
-- What the last check of the search index found, even if another check was requested after it or failed.
INSERT INTO work (kind, subject, status, attempts, result, created_at, started_at, finished_at)
  SELECT 'search_check', 'search', 'done', 1, jsonb_build_object('missing', missing, 'extra', extra, 'different', different),
    checked_at, checked_at, checked_at
  FROM search_index_work WHERE kind = 'check' AND state <> 'done' AND checked_at IS NOT NULL;
--> statement-breakpoint
INSERT INTO work (kind, subject, status, attempts, done, total, result, error_code, error_message, requested_by, created_at, started_at,
    finished_at)
  SELECT 'search_' || kind, 'search',
    (CASE state WHEN 'requested' THEN 'queued' WHEN 'failed' THEN 'error' ELSE state::text END)::job_status,
    CASE state WHEN 'requested' THEN 0 ELSE 1 END, coalesce(done, 0), total,
    CASE WHEN kind = 'check' AND state = 'done'
      THEN jsonb_build_object('missing', missing, 'extra', extra, 'different', different) ELSE '{}' END,
    CASE state WHEN 'failed' THEN 'internal' END, error, requested_by, coalesce(requested_at, started_at, finished_at, now()), started_at,
    CASE WHEN state IN ('done', 'failed') THEN greatest(started_at, coalesce(finished_at, now())) END
  FROM search_index_work;
--> statement-breakpoint
-- The work of a build has the id of its record. At most one build of a layer goes on: the newest, unless another one was requested.
INSERT INTO work (id, kind, subject, status, attempts, done, result, error_code, error_message, requested_by, created_at, started_at,
    finished_at)
  SELECT id, 'tile_build', layer, (CASE WHEN goes_on THEN 'running' WHEN status IN ('building', 'failed') THEN 'error' ELSE 'done' END)::job_status,
    1, coalesce(parcels, 0), CASE WHEN share IS NULL THEN '{}' ELSE jsonb_build_object('share', share, 'tiles', tiles) END,
    CASE WHEN goes_on THEN NULL WHEN status = 'building' THEN 'worker_lost' WHEN status = 'failed' THEN 'internal' END,
    CASE WHEN status = 'building' AND NOT goes_on THEN 'ended without a word' ELSE error_message END,
    requested_by, started_at, started_at, CASE WHEN NOT goes_on THEN greatest(started_at, coalesce(finished_at, started_at)) END
  FROM (
    SELECT *, status = 'building' AND NOT EXISTS (SELECT FROM tile_build_requests r WHERE r.layer = b.layer)
      AND NOT EXISTS (SELECT FROM tile_builds n WHERE n.layer = b.layer AND n.status = 'building' AND n.id > b.id) AS goes_on
    FROM tile_builds b
  ) builds;
--> statement-breakpoint
-- This is no step of a build.
ALTER TABLE tile_builds DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE tile_builds SET work_id = id;
--> statement-breakpoint
ALTER TABLE tile_builds ENABLE TRIGGER USER;
--> statement-breakpoint
INSERT INTO work (kind, subject, requested_by, created_at) SELECT 'tile_build', layer, requested_by, requested_at FROM tile_build_requests;
--> statement-breakpoint
DROP TABLE "crawl_rejects";--> statement-breakpoint
DROP TABLE "crawls";--> statement-breakpoint
DROP TABLE "search_index_work";--> statement-breakpoint
DROP TABLE "tile_build_requests";--> statement-breakpoint
DROP TYPE "public"."search_work_kind";--> statement-breakpoint
DROP TYPE "public"."search_work_state";--> statement-breakpoint
CREATE UNIQUE INDEX "work_live" ON "work" USING btree ("kind","subject") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "work_kind" ON "work" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "work_source" ON "work" USING btree ("source","id") WHERE source is not null;--> statement-breakpoint
CREATE INDEX "work_finished" ON "work" USING btree ("finished_at") WHERE status in ('done', 'error');
