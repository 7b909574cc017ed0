CREATE TABLE "recent_writers" (
	"caller" text PRIMARY KEY NOT NULL,
	"wrote_at" timestamp(3) with time zone NOT NULL
);
