CREATE TABLE "source_coverage" (
	"source" text PRIMARY KEY NOT NULL,
	"parcels" bigint NOT NULL,
	"retired" bigint NOT NULL,
	"filled" jsonb NOT NULL,
	"bbox" "box",
	"refreshed_at" timestamp(3) with time zone,
	"version" bigint NOT NULL,
	"counted_at" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "finding_dismissals" (
	"parcel_id" uuid NOT NULL,
	"rule" text NOT NULL,
	"subject" text NOT NULL,
	"evidence_hash" text NOT NULL,
	"reason" text NOT NULL,
	"dismissed_by" text NOT NULL,
	"dismissed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "finding_dismissals_parcel_id_rule_subject_evidence_hash_pk" PRIMARY KEY("parcel_id","rule","subject","evidence_hash"),
	CONSTRAINT "finding_dismissals_reason_length" CHECK (length("finding_dismissals"."reason") <= 2000)
);
--> statement-breakpoint
ALTER TABLE "history_counted" ADD COLUMN "changes_up_to" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "source_days" ADD COLUMN "changes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "source_coverage" ADD CONSTRAINT "source_coverage_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "finding_dismissals" ADD CONSTRAINT "finding_dismissals_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE cascade ON UPDATE no action;