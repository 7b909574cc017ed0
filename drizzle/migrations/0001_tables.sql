CREATE TYPE "public"."account_role" AS ENUM('user', 'admin');--> statement-breakpoint
CREATE TYPE "public"."document_kind" AS ENUM('parcel', 'entity');--> statement-breakpoint
CREATE TYPE "public"."cadence" AS ENUM('daily', 'weekly', 'monthly', 'quarterly', 'annual', 'tax-statement-window');--> statement-breakpoint
CREATE TYPE "public"."tile_build_status" AS ENUM('building', 'published', 'retired', 'failed');--> statement-breakpoint
CREATE TYPE "public"."concurrency_mode" AS ENUM('auto', 'manual');--> statement-breakpoint
CREATE TYPE "public"."finding_category" AS ENUM('ownership', 'valuation', 'tax', 'exemption', 'geometry', 'data-quality');--> statement-breakpoint
CREATE TYPE "public"."finding_severity" AS ENUM('info', 'low', 'medium', 'high');--> statement-breakpoint
CREATE TYPE "public"."job_status" AS ENUM('queued', 'running', 'done', 'error');--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"role" "account_role" DEFAULT 'user' NOT NULL,
	"paid" boolean DEFAULT false NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_identity" UNIQUE("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "search_outbox" (
	"kind" "document_kind" NOT NULL,
	"id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "search_outbox_kind_id_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
CREATE TABLE "source_refresh_policies" (
	"source" text PRIMARY KEY NOT NULL,
	"cadence" "cadence" DEFAULT 'annual' NOT NULL,
	"next_due_at" timestamp(3) with time zone NOT NULL,
	"agricultural_only" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"account_id" uuid,
	"name" text NOT NULL,
	"hashed_key" text NOT NULL,
	"capabilities" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp(3) with time zone,
	"revoked_at" timestamp(3) with time zone,
	CONSTRAINT "api_keys_hash" UNIQUE("hashed_key")
);
--> statement-breakpoint
CREATE TABLE "tile_builds" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"layer" text NOT NULL,
	"status" "tile_build_status" DEFAULT 'building' NOT NULL,
	"hash" text,
	"size_bytes" bigint,
	"error_message" text,
	"started_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp(3) with time zone,
	"retired_at" timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE "parcels" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"source" text NOT NULL,
	"source_parcel_id" text NOT NULL,
	"geom" json,
	"bbox" "box",
	"acreage" double precision,
	"owner_name" text,
	"owner_names_all" text[] DEFAULT '{}' NOT NULL,
	"owner_mailing_address" text,
	"situs_address" text,
	"situs_city" text,
	"situs_state" text,
	"situs_zip" text,
	"land_use_class" text,
	"zoning_code" text,
	"zoning_description" text,
	"is_agricultural" boolean,
	"assessed_value" bigint,
	"value_land" bigint,
	"value_improvement" bigint,
	"scrape_data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"scraped_at" timestamp(3) with time zone,
	"scraped_by" text,
	"scrape_data_as_of" text,
	"scrape_data_as_of_source" text,
	"ingested_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"owner_name_normalized" text GENERATED ALWAYS AS (normalize_name(owner_name)) STORED,
	CONSTRAINT "parcels_source_parcel" UNIQUE("source","source_parcel_id"),
	CONSTRAINT "parcels_source_parcel_id" CHECK (length("parcels"."source_parcel_id") between 1 and 256),
	CONSTRAINT "parcels_bbox_with_geom" CHECK (("parcels"."geom" is null) = ("parcels"."bbox" is null))
);
--> statement-breakpoint
CREATE TABLE "entities" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"jurisdiction" char(2) NOT NULL,
	"registry_number" text NOT NULL,
	"name" text NOT NULL,
	"entity_type" text,
	"status" text,
	"registered_agent_name" text,
	"linked_parcel_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"name_normalized" text GENERATED ALWAYS AS (normalize_name(name)) STORED,
	CONSTRAINT "entities_registry" UNIQUE("jurisdiction","registry_number")
);
--> statement-breakpoint
CREATE TABLE "entity_parcels" (
	"entity_id" uuid NOT NULL,
	"parcel_id" uuid NOT NULL,
	CONSTRAINT "entity_parcels_entity_id_parcel_id_pk" PRIMARY KEY("entity_id","parcel_id")
);
--> statement-breakpoint
CREATE TABLE "tuning_log" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"vendor" text NOT NULL,
	"previous_target" integer NOT NULL,
	"new_target" integer NOT NULL,
	"reason" text NOT NULL,
	"signals" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"actor" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "vendor_concurrency" (
	"vendor" text PRIMARY KEY NOT NULL,
	"min_concurrency" integer NOT NULL,
	"max_concurrency" integer NOT NULL,
	"target_concurrency" integer NOT NULL,
	"mode" "concurrency_mode" DEFAULT 'auto' NOT NULL,
	"slow_threshold_ms" integer NOT NULL,
	"fast_threshold_ms" integer NOT NULL,
	"step_size" integer DEFAULT 1 NOT NULL,
	"signal_window_minutes" integer DEFAULT 10 NOT NULL,
	"last_signal" text,
	"last_tuned_at" timestamp(3) with time zone,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_by" text,
	CONSTRAINT "vendor_concurrency_bounds" CHECK (1 <= "vendor_concurrency"."min_concurrency" and "vendor_concurrency"."min_concurrency" <= "vendor_concurrency"."max_concurrency"),
	CONSTRAINT "vendor_concurrency_target" CHECK ("vendor_concurrency"."target_concurrency" between "vendor_concurrency"."min_concurrency" and "vendor_concurrency"."max_concurrency"),
	CONSTRAINT "vendor_concurrency_thresholds" CHECK (0 < "vendor_concurrency"."fast_threshold_ms" and "vendor_concurrency"."fast_threshold_ms" < "vendor_concurrency"."slow_threshold_ms"),
	CONSTRAINT "vendor_concurrency_step" CHECK ("vendor_concurrency"."step_size" >= 1),
	CONSTRAINT "vendor_concurrency_window" CHECK ("vendor_concurrency"."signal_window_minutes" >= 1)
);
--> statement-breakpoint
CREATE TABLE "findings" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"parcel_id" uuid NOT NULL,
	"rule" text NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"severity" "finding_severity" NOT NULL,
	"category" "finding_category" NOT NULL,
	"evidence" jsonb NOT NULL,
	"suggested_action" text NOT NULL,
	"generated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "findings_parcel_rule_subject" UNIQUE("parcel_id","rule","subject")
);
--> statement-breakpoint
CREATE TABLE "sources" (
	"source" text PRIMARY KEY NOT NULL,
	"state" char(2) NOT NULL,
	"county_name" text NOT NULL,
	"vendor" text NOT NULL,
	"base_url" text NOT NULL,
	"active" boolean DEFAULT false NOT NULL,
	"vendor_config" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"last_full_scrape_at" timestamp(3) with time zone,
	"last_known_data_as_of" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sources_slug" CHECK ("sources"."source" ~ '^[a-z0-9][a-z0-9_-]{0,99}$'),
	CONSTRAINT "sources_state" CHECK ("sources"."state" ~ '^[A-Z]{2}$')
);
--> statement-breakpoint
CREATE TABLE "scrape_jobs" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"source" text NOT NULL,
	"source_parcel_id" text NOT NULL,
	"vendor" text NOT NULL,
	"status" "job_status" DEFAULT 'queued' NOT NULL,
	"overrides" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error_code" text,
	"error_message" text,
	"requested_by" text,
	"not_before" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"dispatched_at" timestamp(3) with time zone,
	"lease_expires_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"duration_ms" integer
);
--> statement-breakpoint
ALTER TABLE "source_refresh_policies" ADD CONSTRAINT "source_refresh_policies_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parcels" ADD CONSTRAINT "parcels_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "entity_parcels" ADD CONSTRAINT "entity_parcels_entity_id_entities_id_fk" FOREIGN KEY ("entity_id") REFERENCES "public"."entities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entity_parcels" ADD CONSTRAINT "entity_parcels_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tuning_log" ADD CONSTRAINT "tuning_log_vendor_vendor_concurrency_vendor_fk" FOREIGN KEY ("vendor") REFERENCES "public"."vendor_concurrency"("vendor") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "findings" ADD CONSTRAINT "findings_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD CONSTRAINT "scrape_jobs_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
CREATE UNIQUE INDEX "search_outbox_seq_order" ON "search_outbox" USING btree ("seq");--> statement-breakpoint
CREATE INDEX "source_refresh_policies_due" ON "source_refresh_policies" USING btree ("next_due_at");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tile_builds_one_published" ON "tile_builds" USING btree ("layer") WHERE status = 'published';--> statement-breakpoint
CREATE INDEX "tile_builds_layer" ON "tile_builds" USING btree ("layer","id");--> statement-breakpoint
CREATE INDEX "parcels_owner_name_normalized" ON "parcels" USING btree ("owner_name_normalized");--> statement-breakpoint
CREATE INDEX "parcels_owner_name_trgm" ON "parcels" USING gin ("owner_name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "parcels_situs_address_trgm" ON "parcels" USING gin ("situs_address" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "parcels_id_key" ON "parcels" USING btree (parcel_key("source_parcel_id"));--> statement-breakpoint
CREATE INDEX "parcels_agricultural" ON "parcels" USING btree ("source","id") WHERE is_agricultural;--> statement-breakpoint
CREATE INDEX "entities_name_normalized" ON "entities" USING btree ("name_normalized");--> statement-breakpoint
CREATE INDEX "entities_name_trgm" ON "entities" USING gin ("name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "entities_agent_trgm" ON "entities" USING gin ("registered_agent_name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "entity_parcels_parcel" ON "entity_parcels" USING btree ("parcel_id");--> statement-breakpoint
CREATE INDEX "tuning_log_vendor" ON "tuning_log" USING btree ("vendor","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "sources_vendor" ON "sources" USING btree ("vendor");--> statement-breakpoint
CREATE UNIQUE INDEX "scrape_jobs_live" ON "scrape_jobs" USING btree ("source","source_parcel_id","status") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "scrape_jobs_status" ON "scrape_jobs" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "scrape_jobs_source_status" ON "scrape_jobs" USING btree ("source","status","id");--> statement-breakpoint
CREATE INDEX "scrape_jobs_to_dispatch" ON "scrape_jobs" USING btree ("not_before") WHERE status = 'queued' and dispatched_at is null;--> statement-breakpoint
CREATE INDEX "scrape_jobs_lease" ON "scrape_jobs" USING btree ("lease_expires_at") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "scrape_jobs_finished" ON "scrape_jobs" USING btree ("vendor","finished_at") WHERE status in ('done', 'error');