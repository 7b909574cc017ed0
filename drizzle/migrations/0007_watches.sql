ALTER TYPE "public"."event_kind" ADD VALUE 'watch';--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"watch_id" uuid NOT NULL,
	"version" bigint,
	"changed_at" timestamp(3) with time zone,
	"parcel_id" uuid,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"queued_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"response_status" integer,
	"response" text,
	"duration_ms" integer,
	"error" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp(3) with time zone,
	CONSTRAINT "webhook_deliveries_change" UNIQUE("watch_id","version"),
	CONSTRAINT "webhook_deliveries_error_length" CHECK (length("webhook_deliveries"."error") <= 1000),
	CONSTRAINT "webhook_deliveries_response_length" CHECK (length("webhook_deliveries"."response") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "watch_progress" (
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "watches" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"owner" uuid NOT NULL,
	"account_id" uuid,
	"key_hash" text,
	"created_by" text NOT NULL,
	"kind" text NOT NULL,
	"source" text,
	"source_parcel_id" text,
	"owner_name" text,
	"owner_name_normalized" text GENERATED ALWAYS AS (normalize_name(owner_name)) STORED,
	"polygon" json,
	"bbox" "box",
	"fields" text[],
	"webhook_url" text,
	"webhook_secret" text,
	"receiver" text,
	"active" boolean DEFAULT true NOT NULL,
	"after_version" bigint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"holds" integer DEFAULT 0 NOT NULL,
	"held_until" timestamp(3) with time zone,
	"last_delivered_at" timestamp(3) with time zone,
	"last_failed_at" timestamp(3) with time zone,
	"last_error" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "watches_source_parcel_id_length" CHECK (length("watches"."source_parcel_id") <= 256),
	CONSTRAINT "watches_owner_name_length" CHECK (length("watches"."owner_name") <= 500),
	CONSTRAINT "watches_webhook_url_length" CHECK (length("watches"."webhook_url") <= 2000),
	CONSTRAINT "watches_target" CHECK (case kind
        when 'parcel' then num_nulls(source, source_parcel_id) = 0 and num_nonnulls(owner_name, polygon) = 0
        when 'source' then source is not null and num_nonnulls(source_parcel_id, owner_name, polygon) = 0
        when 'owner' then owner_name is not null and num_nonnulls(source, source_parcel_id, polygon) = 0
        when 'polygon' then polygon is not null and num_nonnulls(source, source_parcel_id, owner_name) = 0
        else false end),
	CONSTRAINT "watches_bbox_with_polygon" CHECK ((polygon is null) = (bbox is null)),
	CONSTRAINT "watches_webhook" CHECK (num_nulls(webhook_url, webhook_secret, receiver) in (0, 3))
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_watch_id_watches_id_fk" FOREIGN KEY ("watch_id") REFERENCES "public"."watches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watches" ADD CONSTRAINT "watches_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watches" ADD CONSTRAINT "watches_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE no action ON UPDATE cascade;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_watch" ON "webhook_deliveries" USING btree ("watch_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("watch_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_order" ON "webhook_deliveries" USING btree ("watch_id","parcel_id","version") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_finished" ON "webhook_deliveries" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "watches_owned" ON "watches" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "watches_account" ON "watches" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "watches_source" ON "watches" USING btree ("source","source_parcel_id") WHERE active and source is not null;--> statement-breakpoint
CREATE INDEX "watches_name" ON "watches" USING btree ("owner_name_normalized") WHERE active and kind = 'owner';--> statement-breakpoint
CREATE INDEX "watches_box" ON "watches" USING gist ("bbox") WHERE active and kind = 'polygon';--> statement-breakpoint
CREATE INDEX "watches_receiver" ON "watches" USING btree ("receiver");--> statement-breakpoint
INSERT INTO "watch_progress" VALUES (0);
