CREATE TABLE "service_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "license" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "attribution" text;--> statement-breakpoint
ALTER TABLE "sources" ADD CONSTRAINT "sources_license_length" CHECK (length("sources"."license") <= 250);--> statement-breakpoint
ALTER TABLE "sources" ADD CONSTRAINT "sources_attribution_length" CHECK (length("sources"."attribution") <= 500);