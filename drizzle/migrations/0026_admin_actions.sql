CREATE TABLE "admin_actions" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"actor" text NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"body" jsonb,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "admin_actions_actor" ON "admin_actions" USING btree ("actor","id" DESC NULLS LAST);