CREATE TABLE "crawl_rejects" (
	"crawl_id" uuid NOT NULL,
	"what" text NOT NULL,
	"reason" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crawls" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"source" text NOT NULL,
	"vendor" text NOT NULL,
	"base_url" text NOT NULL,
	"vendor_config" jsonb NOT NULL,
	"status" "job_status" DEFAULT 'queued' NOT NULL,
	"cursor" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"pages" integer DEFAULT 0 NOT NULL,
	"inserted" bigint DEFAULT 0 NOT NULL,
	"updated" bigint DEFAULT 0 NOT NULL,
	"unchanged" bigint DEFAULT 0 NOT NULL,
	"rejected" bigint DEFAULT 0 NOT NULL,
	"total" bigint,
	"error_code" text,
	"error_message" text,
	"requested_by" text,
	"not_before" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"lease_expires_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone
);
--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "crawl_id" uuid;--> statement-breakpoint
ALTER TABLE "crawl_rejects" ADD CONSTRAINT "crawl_rejects_crawl_id_crawls_id_fk" FOREIGN KEY ("crawl_id") REFERENCES "public"."crawls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crawls" ADD CONSTRAINT "crawls_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "crawl_rejects_crawl" ON "crawl_rejects" USING btree ("crawl_id");--> statement-breakpoint
CREATE UNIQUE INDEX "crawls_live" ON "crawls" USING btree ("source") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "crawls_source" ON "crawls" USING btree ("source","id");