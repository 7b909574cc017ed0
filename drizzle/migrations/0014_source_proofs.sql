CREATE TABLE "source_proofs" (
	"source" text PRIMARY KEY NOT NULL,
	"proved_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"proved_by" text NOT NULL,
	"adapter" text NOT NULL,
	"version" text NOT NULL,
	"target" jsonb NOT NULL,
	"page_hash" text NOT NULL,
	"page" "bytea" NOT NULL,
	"answered_at" jsonb NOT NULL,
	"read" jsonb NOT NULL,
	"checked_version" text,
	"difference" text
);
--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "seed_hash" text;--> statement-breakpoint
ALTER TABLE "source_proofs" ADD CONSTRAINT "source_proofs_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
-- Sources that nobody has changed since they were created. `{}` is what earlier releases wrote for most portals.
UPDATE "sources" SET "seed_hash" = md5("base_url" || "vendor_config"::text) WHERE "updated_at" = "created_at" OR "vendor_config" = '{}';
