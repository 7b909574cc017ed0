CREATE SEQUENCE "public"."parcel_versions" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "geometries" (
	"hash" text PRIMARY KEY NOT NULL,
	"geom" json NOT NULL,
	"bbox" "box" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "parcel_changes" (
	"version" bigint NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"parcel_id" uuid NOT NULL,
	"source" text NOT NULL,
	"source_parcel_id" text NOT NULL,
	"action" text NOT NULL,
	"cause" text,
	"cause_id" uuid,
	"changes" jsonb NOT NULL,
	"origin" jsonb,
	CONSTRAINT "parcel_changes_version_at_pk" PRIMARY KEY("version","at"),
	CONSTRAINT "parcel_changes_action" CHECK (action in ('created', 'changed', 'retired', 'returned', 'deleted')),
	CONSTRAINT "parcel_changes_cause" CHECK (cause in ('ingest', 'crawl', 'scrape', 'review', 'undo', 'operator'))
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE parcel_changes_default PARTITION OF parcel_changes DEFAULT;
--> statement-breakpoint
SELECT create_parcel_change_partitions();
--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "retired_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "cause_id" uuid;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "origin" jsonb;--> statement-breakpoint
CREATE INDEX "parcel_changes_parcel" ON "parcel_changes" USING btree ("parcel_id","version");--> statement-breakpoint
CREATE INDEX "parcel_changes_source" ON "parcel_changes" USING btree ("source","version");--> statement-breakpoint
CREATE INDEX "parcel_changes_cause" ON "parcel_changes" USING btree ("cause_id","version") WHERE cause_id is not null;--> statement-breakpoint

-- What is stored already was created before the log. Why and from where is not known.
INSERT INTO parcel_changes (version, at, parcel_id, source, source_parcel_id, action, changes)
  SELECT nextval('parcel_versions'), ingested_at, id, source, source_parcel_id, 'created', '{}'
  FROM (SELECT id, source, source_parcel_id, ingested_at FROM parcels ORDER BY id) stored;
