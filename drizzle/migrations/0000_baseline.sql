-- The schema of version 0.1.0, as drizzle-kit writes it, with what drizzle-kit does not know: the extension, INCLUDE columns of two indexes,
-- and everything after the last "btree". Functions and triggers are in drizzle/functions.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TYPE "public"."account_plan" AS ENUM('free', 'paid');--> statement-breakpoint
CREATE TYPE "public"."account_role" AS ENUM('member', 'admin');--> statement-breakpoint
CREATE TYPE "public"."document_kind" AS ENUM('parcel', 'entity');--> statement-breakpoint
CREATE TYPE "public"."cadence" AS ENUM('daily', 'weekly', 'monthly', 'quarterly', 'annual', 'tax-statement-window');--> statement-breakpoint
CREATE TYPE "public"."search_work_kind" AS ENUM('check', 'rebuild');--> statement-breakpoint
CREATE TYPE "public"."search_work_state" AS ENUM('requested', 'running', 'done', 'failed');--> statement-breakpoint
CREATE TYPE "public"."tile_build_status" AS ENUM('building', 'published', 'retired', 'failed', 'unchanged');--> statement-breakpoint
CREATE TYPE "public"."event_kind" AS ENUM('job', 'crawl', 'reindex', 'tile_build');--> statement-breakpoint
CREATE TYPE "public"."concurrency_mode" AS ENUM('auto', 'manual');--> statement-breakpoint
CREATE TYPE "public"."finding_category" AS ENUM('ownership', 'valuation', 'tax', 'exemption', 'geometry', 'data-quality');--> statement-breakpoint
CREATE TYPE "public"."finding_severity" AS ENUM('info', 'low', 'medium', 'high');--> statement-breakpoint
CREATE TYPE "public"."job_priority" AS ENUM('high', 'normal');--> statement-breakpoint
CREATE TYPE "public"."job_status" AS ENUM('queued', 'running', 'done', 'error');--> statement-breakpoint
CREATE TABLE "sessions" (
	"hashed_token" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"role" "account_role" DEFAULT 'member' NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"plan" "account_plan" DEFAULT 'free' NOT NULL,
	"last_seen_at" timestamp(3) with time zone,
	CONSTRAINT "accounts_identity" UNIQUE("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"caller_hash" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"request_hash" text NOT NULL,
	"status" integer,
	"body" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"job_id" uuid,
	CONSTRAINT "idempotency_keys_caller_hash_idempotency_key_pk" PRIMARY KEY("caller_hash","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "history_counted" (
	"up_to" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "source_days" (
	"source" text NOT NULL,
	"day" date NOT NULL,
	"finished" bigint NOT NULL,
	"errors" bigint NOT NULL,
	CONSTRAINT "source_days_source_day_pk" PRIMARY KEY("source","day")
);
--> statement-breakpoint
CREATE TABLE "vendor_history" (
	"vendor" text NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"target" integer NOT NULL,
	"finished" integer NOT NULL,
	"errors" integer NOT NULL,
	"p95_ms" integer,
	CONSTRAINT "vendor_history_vendor_at_pk" PRIMARY KEY("vendor","at")
);
--> statement-breakpoint
CREATE TABLE "search_outbox" (
	"kind" "document_kind" NOT NULL,
	"id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"changed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "search_outbox_kind_id_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
CREATE TABLE "source_refresh_policies" (
	"source" text PRIMARY KEY NOT NULL,
	"cadence" "cadence" DEFAULT 'annual' NOT NULL,
	"next_due_at" timestamp(3) with time zone NOT NULL,
	"agricultural_only" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"run_started_at" timestamp(3) with time zone,
	"run_cursor" text,
	"run_ends_at" uuid
);
--> statement-breakpoint
CREATE TABLE "search_index_work" (
	"kind" "search_work_kind" PRIMARY KEY NOT NULL,
	"state" "search_work_state" NOT NULL,
	"requested_by" text,
	"requested_at" timestamp(3) with time zone,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"done" bigint,
	"total" bigint,
	"missing" bigint,
	"extra" bigint,
	"different" bigint,
	"checked_at" timestamp(3) with time zone,
	"error" text
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
CREATE TABLE "crawl_rejects" (
	"crawl_id" uuid NOT NULL,
	"what" text NOT NULL,
	"reason" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "crawl_rejects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	CONSTRAINT "crawl_rejects_crawl_id_id_pk" PRIMARY KEY("crawl_id","id")
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
	"not_before" timestamp(3) with time zone DEFAULT date_trunc('milliseconds', now()) NOT NULL,
	"lease_expires_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"records" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "crawls_ends_after_start" CHECK (finished_at >= started_at)
);
--> statement-breakpoint
CREATE TABLE "tile_build_requests" (
	"layer" text PRIMARY KEY NOT NULL,
	"requested_by" text NOT NULL,
	"requested_at" timestamp(3) with time zone DEFAULT now() NOT NULL
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
	"retired_at" timestamp(3) with time zone,
	"requested_by" text,
	"share" real,
	"parcels" bigint,
	"tiles" bigint,
	"finished_at" timestamp(3) with time zone,
	"drawn_changes" bigint,
	"current_at" timestamp(3) with time zone
);
--> statement-breakpoint
CREATE TABLE "scrape_attempts" (
	"job_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"vendor" text NOT NULL,
	"outcome" text NOT NULL,
	"duration_ms" integer NOT NULL,
	"retry_after_ms" integer,
	"ended_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leaders" (
	"duty" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"hashed_state" text PRIMARY KEY NOT NULL,
	"hashed_browser" text NOT NULL,
	"code_verifier" text NOT NULL,
	"nonce" text NOT NULL,
	"return_to" text NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp(3) with time zone
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
	"crawl_id" uuid,
	"scrape_origins" jsonb,
	CONSTRAINT "parcels_source_parcel" UNIQUE("source","source_parcel_id"),
	CONSTRAINT "parcels_source_parcel_id" CHECK (length("parcels"."source_parcel_id") between 1 and 256),
	CONSTRAINT "parcels_owner_name_length" CHECK (length("parcels"."owner_name") <= 500),
	CONSTRAINT "parcels_owner_names_all_length" CHECK (cardinality("parcels"."owner_names_all") <= 200 and length(array_to_string("parcels"."owner_names_all", '')) <= 100000),
	CONSTRAINT "parcels_owner_mailing_address_length" CHECK (length("parcels"."owner_mailing_address") <= 500),
	CONSTRAINT "parcels_situs_address_length" CHECK (length("parcels"."situs_address") <= 500),
	CONSTRAINT "parcels_situs_city_length" CHECK (length("parcels"."situs_city") <= 250),
	CONSTRAINT "parcels_situs_state_length" CHECK (length("parcels"."situs_state") <= 100),
	CONSTRAINT "parcels_situs_zip_length" CHECK (length("parcels"."situs_zip") <= 100),
	CONSTRAINT "parcels_land_use_class_length" CHECK (length("parcels"."land_use_class") <= 250),
	CONSTRAINT "parcels_zoning_code_length" CHECK (length("parcels"."zoning_code") <= 250),
	CONSTRAINT "parcels_zoning_description_length" CHECK (length("parcels"."zoning_description") <= 2000),
	CONSTRAINT "parcels_scrape_data_size" CHECK (pg_column_size("parcels"."scrape_data") <= 4194304),
	CONSTRAINT "parcels_bbox_with_geom" CHECK (("parcels"."geom" is null) = ("parcels"."bbox" is null))
);
--> statement-breakpoint
CREATE TABLE "source_errors_since" (
	"since" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "source_tallies" (
	"source" text NOT NULL,
	"pid" integer NOT NULL,
	"parcels" bigint DEFAULT 0 NOT NULL,
	"queued" bigint DEFAULT 0 NOT NULL,
	"running" bigint DEFAULT 0 NOT NULL,
	"last_success_at" timestamp(3) with time zone,
	"last_error_at" timestamp(3) with time zone,
	"errors" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "source_tallies_source_pid_pk" PRIMARY KEY("source","pid")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" "event_kind" NOT NULL,
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"watchers" uuid[],
	"job_id" uuid,
	"job_status" "job_status",
	"attempts" integer,
	"error_message" text,
	"payload" jsonb,
	CONSTRAINT "events_xid_id_pk" PRIMARY KEY("xid","id")
);
--> statement-breakpoint
CREATE TABLE "events_forgotten" (
	"xid" "xid8" NOT NULL,
	"id" bigint NOT NULL
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
	CONSTRAINT "entities_registry" UNIQUE("jurisdiction","registry_number"),
	CONSTRAINT "entities_registry_number_length" CHECK (length("entities"."registry_number") <= 256),
	CONSTRAINT "entities_name_length" CHECK (length("entities"."name") <= 500),
	CONSTRAINT "entities_entity_type_length" CHECK (length("entities"."entity_type") <= 250),
	CONSTRAINT "entities_status_length" CHECK (length("entities"."status") <= 250),
	CONSTRAINT "entities_registered_agent_name_length" CHECK (length("entities"."registered_agent_name") <= 500)
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
	"tuner_state" jsonb,
	"breaker_opened_at" timestamp(3) with time zone,
	"probed_at" timestamp(3) with time zone,
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
	CONSTRAINT "findings_parcel_rule_subject" UNIQUE("parcel_id","rule","subject"),
	CONSTRAINT "findings_subject_length" CHECK (length("findings"."subject") <= 256),
	CONSTRAINT "findings_evidence_size" CHECK (pg_column_size("findings"."evidence") <= 524288)
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
	"not_before" timestamp(3) with time zone DEFAULT date_trunc('milliseconds', now()) NOT NULL,
	"dispatched_at" timestamp(3) with time zone,
	"lease_expires_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"duration_ms" integer,
	"handed_back" integer DEFAULT 0 NOT NULL,
	"watchers" uuid[],
	"failures" jsonb,
	"priority" "job_priority" DEFAULT 'normal' NOT NULL,
	"traceparent" text,
	"ordered_by" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL,
	CONSTRAINT "scrape_jobs_ends_after_start" CHECK (finished_at >= started_at and duration_ms >= 0)
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_refresh_policies" ADD CONSTRAINT "source_refresh_policies_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crawl_rejects" ADD CONSTRAINT "crawl_rejects_crawl_id_crawls_id_fk" FOREIGN KEY ("crawl_id") REFERENCES "public"."crawls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crawls" ADD CONSTRAINT "crawls_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "parcels" ADD CONSTRAINT "parcels_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "entity_parcels" ADD CONSTRAINT "entity_parcels_entity_id_entities_id_fk" FOREIGN KEY ("entity_id") REFERENCES "public"."entities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entity_parcels" ADD CONSTRAINT "entity_parcels_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tuning_log" ADD CONSTRAINT "tuning_log_vendor_vendor_concurrency_vendor_fk" FOREIGN KEY ("vendor") REFERENCES "public"."vendor_concurrency"("vendor") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "findings" ADD CONSTRAINT "findings_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scrape_jobs" ADD CONSTRAINT "scrape_jobs_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "sessions_account" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_created" ON "sessions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sessions_last_seen" ON "sessions" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "accounts_admins" ON "accounts" USING btree ("id") WHERE role = 'admin';--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_name" ON "accounts" USING btree (account_name("id"));--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "source_days_day" ON "source_days" USING btree ("day");--> statement-breakpoint
CREATE UNIQUE INDEX "search_outbox_seq_order" ON "search_outbox" USING btree ("seq");--> statement-breakpoint
CREATE INDEX "source_refresh_policies_due" ON "source_refresh_policies" USING btree ("next_due_at");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "crawls_live" ON "crawls" USING btree ("source") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "crawls_source" ON "crawls" USING btree ("source","id");--> statement-breakpoint
CREATE UNIQUE INDEX "tile_builds_one_published" ON "tile_builds" USING btree ("layer") WHERE status = 'published';--> statement-breakpoint
CREATE INDEX "tile_builds_layer" ON "tile_builds" USING btree ("layer","id");--> statement-breakpoint
CREATE INDEX "scrape_attempts_window" ON "scrape_attempts" USING btree ("vendor","ended_at") INCLUDE ("outcome","duration_ms","retry_after_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "leaders_term" ON "leaders" USING btree ("duty","term");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_address" ON "sign_in_attempts" USING btree ("address","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_created" ON "sign_in_attempts" USING btree ("created_at");--> statement-breakpoint
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
CREATE INDEX "findings_severity" ON "findings" USING btree ("severity","id");--> statement-breakpoint
CREATE INDEX "findings_category" ON "findings" USING btree ("category","id");--> statement-breakpoint
CREATE INDEX "findings_severity_category" ON "findings" USING btree ("severity","category","id");--> statement-breakpoint
CREATE INDEX "sources_vendor" ON "sources" USING btree ("vendor");--> statement-breakpoint
CREATE UNIQUE INDEX "scrape_jobs_live" ON "scrape_jobs" USING btree ("source","source_parcel_id","status") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "scrape_jobs_status" ON "scrape_jobs" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "scrape_jobs_source_status" ON "scrape_jobs" USING btree ("source","status","id");--> statement-breakpoint
CREATE INDEX "scrape_jobs_to_dispatch" ON "scrape_jobs" USING btree ("vendor","priority","ordered_by","not_before","id") WHERE status = 'queued' and dispatched_at is null;--> statement-breakpoint
CREATE INDEX "scrape_jobs_dispatched" ON "scrape_jobs" USING btree ("vendor","priority","ordered_by","dispatched_at") WHERE status = 'queued' and dispatched_at is not null;--> statement-breakpoint
CREATE INDEX "scrape_jobs_lease" ON "scrape_jobs" USING btree ("lease_expires_at") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "scrape_jobs_errors" ON "scrape_jobs" USING btree ("finished_at") INCLUDE ("source") WHERE status = 'error';--> statement-breakpoint
CREATE INDEX "scrape_jobs_parcel" ON "scrape_jobs" USING btree ("source_parcel_id","id") WHERE status in ('done', 'error');--> statement-breakpoint
CREATE INDEX "scrape_jobs_finished" ON "scrape_jobs" USING btree ("vendor","finished_at") WHERE status in ('done', 'error');--> statement-breakpoint
-- Answers bounding boxes from the index alone: a page of ids is cut before any row is read.
CREATE INDEX "parcels_bbox" ON "parcels" USING gist ("bbox") INCLUDE ("id", "source");--> statement-breakpoint
CREATE SEQUENCE "search_outbox_seq";--> statement-breakpoint
CREATE SEQUENCE "drawn_changes_seq";--> statement-breakpoint
-- Rows are inserted and deleted all the time. Frequent vacuums keep the index-only scans of the tuner's window off the table.
ALTER TABLE "scrape_attempts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);--> statement-breakpoint
-- Rows are inserted at one end and deleted at the other.
ALTER TABLE "events" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);--> statement-breakpoint
-- Rows are updated all the time. Free space on each page keeps the new version on the same page.
ALTER TABLE "source_tallies" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
-- A request for a queued job's parcel changes only `updated_at`, which no index has. With free space on the page, such an update
-- touches no index (https://www.postgresql.org/docs/18/storage-hot.html).
ALTER TABLE "scrape_jobs" SET (fillfactor = 60);--> statement-breakpoint
INSERT INTO "source_errors_since" VALUES (now() - interval '24 hours 1 minute');--> statement-breakpoint
INSERT INTO "events_forgotten" VALUES ('0', 0);--> statement-breakpoint
INSERT INTO "history_counted" VALUES (date_bin('5 minutes', now(), '2000-01-01Z'));
