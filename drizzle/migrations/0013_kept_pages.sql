CREATE TABLE "kept_pages" (
	"source" text NOT NULL,
	"source_parcel_id" text NOT NULL,
	"hash" text NOT NULL,
	"adapter" text NOT NULL,
	"version" text NOT NULL,
	"outcome" text NOT NULL,
	"message" text,
	"overrides" jsonb NOT NULL,
	"answered_at" jsonb NOT NULL,
	"fetched_at" timestamp(3) with time zone NOT NULL,
	"size_bytes" integer DEFAULT 0 NOT NULL,
	"stored_at" timestamp(3) with time zone,
	CONSTRAINT "kept_pages_source_source_parcel_id_hash_pk" PRIMARY KEY("source","source_parcel_id","hash")
);
--> statement-breakpoint
ALTER TABLE "parcel_changes" DROP CONSTRAINT "parcel_changes_cause";--> statement-breakpoint
ALTER TABLE "kept_pages" ADD CONSTRAINT "kept_pages_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "kept_pages_age" ON "kept_pages" USING btree ("fetched_at");--> statement-breakpoint
ALTER TABLE "parcel_changes" ADD CONSTRAINT "parcel_changes_cause" CHECK (cause in ('ingest', 'crawl', 'scrape', 'replay', 'review', 'undo', 'operator'));