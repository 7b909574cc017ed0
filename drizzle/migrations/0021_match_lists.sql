CREATE TABLE "match_rows" (
	"match_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"outcome" text NOT NULL,
	"input" json NOT NULL,
	"answer" json NOT NULL,
	CONSTRAINT "match_rows_match_id_row_pk" PRIMARY KEY("match_id","row"),
	CONSTRAINT "match_rows_outcome" CHECK (outcome in ('matched', 'tie', 'no_match', 'invalid'))
);
--> statement-breakpoint
CREATE TABLE "matches" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" uuid NOT NULL,
	"upload" uuid,
	"retry_of" uuid,
	"outcomes" text[] DEFAULT '{}' NOT NULL,
	"columns" jsonb,
	"state" text,
	"county" text,
	"source" text,
	"expires_at" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" uuid NOT NULL,
	"format" text NOT NULL,
	"content" "bytea" NOT NULL,
	"lines" integer NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "uploads_format" CHECK (format in ('csv', 'ndjson'))
);
--> statement-breakpoint
ALTER TABLE "match_rows" ADD CONSTRAINT "match_rows_match_id_matches_id_fk" FOREIGN KEY ("match_id") REFERENCES "public"."matches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "matches" ADD CONSTRAINT "matches_id_work_id_fk" FOREIGN KEY ("id") REFERENCES "public"."work"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "matches_owner" ON "matches" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "matches_expires" ON "matches" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "uploads_expires" ON "uploads" USING btree ("expires_at");