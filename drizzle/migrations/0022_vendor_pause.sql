ALTER TABLE "vendor_concurrency" ADD COLUMN "paused_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "vendor_concurrency" ADD COLUMN "paused_until" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "vendor_concurrency" ADD COLUMN "pause_reason" text;--> statement-breakpoint
ALTER TABLE "vendor_concurrency" ADD COLUMN "paused_by" text;--> statement-breakpoint
ALTER TABLE "vendor_concurrency" ADD CONSTRAINT "vendor_concurrency_pause" CHECK (("vendor_concurrency"."paused_at" is null) = ("vendor_concurrency"."pause_reason" is null) and ("vendor_concurrency"."paused_at" is null) = ("vendor_concurrency"."paused_by" is null));