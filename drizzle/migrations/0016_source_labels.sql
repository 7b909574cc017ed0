CREATE TABLE "source_labels" (
	"source" text PRIMARY KEY NOT NULL,
	"scrapes" integer DEFAULT 0 NOT NULL,
	"scrapes_before" integer DEFAULT 0 NOT NULL,
	"labels" jsonb DEFAULT '[]'::jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "source_labels" ADD CONSTRAINT "source_labels_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE cascade ON UPDATE cascade;