CREATE TABLE "alert_messages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"rule" text NOT NULL,
	"state" text NOT NULL,
	"count" bigint NOT NULL,
	"body" json NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_rules" (
	"rule" text PRIMARY KEY NOT NULL,
	"threshold" double precision,
	"active" boolean DEFAULT true NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"rule" text NOT NULL,
	"subject" text NOT NULL,
	"value" double precision NOT NULL,
	"text" text NOT NULL,
	"threshold" double precision,
	"raised_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"clear_since" timestamp(3) with time zone,
	"resolved_at" timestamp(3) with time zone,
	"told_at" timestamp(3) with time zone,
	"silenced_until" timestamp(3) with time zone,
	"silenced_by" text,
	"silence_reason" text
);
--> statement-breakpoint
ALTER TABLE "watches" DROP CONSTRAINT "watches_target";--> statement-breakpoint
ALTER TABLE "watches" ADD COLUMN "failing_since" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "watches" ADD COLUMN "gone_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "alert_message" bigint;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD COLUMN "alert_rule" text;--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_one_raised" ON "alerts" USING btree ("rule","subject") WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX "alerts_of_subject" ON "alerts" USING btree ("rule","subject","id");--> statement-breakpoint
CREATE INDEX "alerts_resolved" ON "alerts" USING btree ("resolved_at") WHERE resolved_at is not null;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_alert_message_alert_messages_id_fk" FOREIGN KEY ("alert_message") REFERENCES "public"."alert_messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_message" ON "webhook_deliveries" USING btree ("alert_message","watch_id") WHERE alert_message is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_messages" ON "webhook_deliveries" USING btree ("watch_id","alert_rule","alert_message") WHERE status = 'pending' and alert_message is not null;--> statement-breakpoint
ALTER TABLE "watches" ADD CONSTRAINT "watches_target" CHECK (case kind
        when 'parcel' then num_nulls(source, source_parcel_id) = 0 and num_nonnulls(owner_name, polygon) = 0
        when 'source' then source is not null and num_nonnulls(source_parcel_id, owner_name, polygon) = 0
        when 'owner' then owner_name is not null and num_nonnulls(source, source_parcel_id, polygon) = 0
        when 'polygon' then polygon is not null and num_nonnulls(source, source_parcel_id, owner_name) = 0
        when 'alerts' then num_nonnulls(source, source_parcel_id, owner_name, polygon, fields) = 0
        else false end);