ALTER TABLE "watches" ADD COLUMN "missed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "watches" ADD COLUMN "missed_after" bigint;