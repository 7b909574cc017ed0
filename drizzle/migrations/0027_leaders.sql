CREATE TABLE "leaders" (
	"duty" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "leaders_term" ON "leaders" USING btree ("duty","term");