ALTER TABLE "sources" ADD COLUMN "retired_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "retired_by" uuid;--> statement-breakpoint
-- Sources of loaded files had the vendor and address of a portal that does not exist.
UPDATE "sources" SET "vendor" = 'file', "base_url" = '' WHERE "base_url" = 'https://example.invalid';
