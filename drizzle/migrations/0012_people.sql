CREATE TYPE "public"."account_plan" AS ENUM('free', 'paid');--> statement-breakpoint
CREATE TABLE "sessions" (
	"hashed_token" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL
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
-- Renamed, not made anew as the generator would have it: rows keep their role.
ALTER TYPE "public"."account_role" RENAME VALUE 'user' TO 'member';--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "plan" "account_plan" DEFAULT 'free' NOT NULL;--> statement-breakpoint
UPDATE "accounts" SET "plan" = 'paid' WHERE "paid";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "last_seen_at" timestamp(3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_account" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_last_seen" ON "sessions" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_address" ON "sign_in_attempts" USING btree ("address","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_created" ON "sign_in_attempts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "accounts_admins" ON "accounts" USING btree ("id") WHERE role = 'admin';--> statement-breakpoint
ALTER TABLE "accounts" DROP COLUMN "paid";