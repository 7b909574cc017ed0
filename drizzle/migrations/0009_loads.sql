ALTER TYPE "public"."event_kind" ADD VALUE 'load';--> statement-breakpoint
CREATE TABLE "load_batches" (
	"load_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"ids" text[] DEFAULT '{}' NOT NULL,
	"retires" boolean DEFAULT false NOT NULL,
	"rows" json,
	"inserted" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"retired" integer DEFAULT 0 NOT NULL,
	"emptied" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"owners" integer DEFAULT 0 NOT NULL,
	"is_applied" boolean DEFAULT false NOT NULL,
	CONSTRAINT "load_batches_load_id_retires_number_pk" PRIMARY KEY("load_id","retires","number")
);
--> statement-breakpoint
CREATE TABLE "loads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'staging' NOT NULL,
	"is_complete" boolean DEFAULT false NOT NULL,
	"as_of" date,
	"file" text,
	"cleared" text[] DEFAULT '{}' NOT NULL,
	"counts" jsonb,
	"verdict" jsonb,
	"undo" jsonb,
	"created_by" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"judged_at" timestamp(3) with time zone,
	"applied_at" timestamp(3) with time zone,
	"ended_at" timestamp(3) with time zone,
	"note" text,
	CONSTRAINT "loads_kind" CHECK (kind in ('ingest', 'crawl')),
	CONSTRAINT "loads_status" CHECK (status in ('staging', 'held', 'applying', 'applied', 'discarded', 'undone', 'failed'))
);
--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "load_limits" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "load_batches" ADD CONSTRAINT "load_batches_load_id_loads_id_fk" FOREIGN KEY ("load_id") REFERENCES "public"."loads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "loads" ADD CONSTRAINT "loads_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "loads_source" ON "loads" USING btree ("source","id");--> statement-breakpoint
CREATE INDEX "loads_open" ON "loads" USING btree ("source") WHERE status in ('staging', 'held', 'applying');--> statement-breakpoint
CREATE UNIQUE INDEX "loads_held" ON "loads" USING btree ("source") WHERE status = 'held';--> statement-breakpoint
-- Compressing the records would take longer than writing them.
ALTER TABLE "load_batches" ALTER COLUMN "rows" SET STORAGE EXTERNAL;
