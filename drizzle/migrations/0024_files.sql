CREATE TABLE "file_parts" (
	"file" uuid NOT NULL,
	"start" bigint NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "file_parts_file_start_pk" PRIMARY KEY("file","start")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"received_bytes" bigint DEFAULT 0 NOT NULL,
	"created_by" text NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "loaded_file" jsonb;--> statement-breakpoint
ALTER TABLE "file_parts" ADD CONSTRAINT "file_parts_file_files_id_fk" FOREIGN KEY ("file") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "files_expires" ON "files" USING btree ("expires_at");--> statement-breakpoint
-- Most files are compressed already.
ALTER TABLE "file_parts" ALTER COLUMN "content" SET STORAGE EXTERNAL;
