CREATE TABLE "search_instance_outbox" (
	"instance" text NOT NULL,
	"kind" "document_kind" NOT NULL,
	"id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"changed_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "search_instance_outbox_instance_kind_id_pk" PRIMARY KEY("instance","kind","id")
);
--> statement-breakpoint
ALTER TABLE "search_outbox" ADD COLUMN "moved" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "search_instance_outbox_seq_order" ON "search_instance_outbox" USING btree ("instance","seq");