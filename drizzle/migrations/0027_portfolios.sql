CREATE TABLE "portfolio_parcels" (
	"portfolio_id" uuid NOT NULL,
	"source" text NOT NULL,
	"source_parcel_id" text NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"added_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "portfolio_parcels_portfolio_id_source_source_parcel_id_pk" PRIMARY KEY("portfolio_id","source","source_parcel_id"),
	CONSTRAINT "portfolio_parcels_id_length" CHECK (length("portfolio_parcels"."source_parcel_id") <= 256),
	CONSTRAINT "portfolio_parcels_note_length" CHECK (length("portfolio_parcels"."note") <= 2000),
	CONSTRAINT "portfolio_parcels_tags" CHECK (cardinality(tags) <= 20)
);
--> statement-breakpoint
CREATE TABLE "portfolios" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"owner" uuid NOT NULL,
	"account_id" uuid,
	"name" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "portfolios_name_length" CHECK (length("portfolios"."name") <= 100)
);
--> statement-breakpoint
CREATE TABLE "saved_searches" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"owner" uuid NOT NULL,
	"account_id" uuid,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_searches_name_length" CHECK (length("saved_searches"."name") <= 100),
	CONSTRAINT "saved_searches_query_length" CHECK (length("saved_searches"."query") <= 8000)
);
--> statement-breakpoint
ALTER TABLE "portfolio_parcels" ADD CONSTRAINT "portfolio_parcels_portfolio_id_portfolios_id_fk" FOREIGN KEY ("portfolio_id") REFERENCES "public"."portfolios"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "portfolio_parcels" ADD CONSTRAINT "portfolio_parcels_source_sources_source_fk" FOREIGN KEY ("source") REFERENCES "public"."sources"("source") ON DELETE cascade ON UPDATE cascade;--> statement-breakpoint
ALTER TABLE "portfolios" ADD CONSTRAINT "portfolios_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_searches" ADD CONSTRAINT "saved_searches_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "portfolio_parcels_source" ON "portfolio_parcels" USING btree ("source");--> statement-breakpoint
CREATE INDEX "portfolios_owner" ON "portfolios" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "portfolios_account" ON "portfolios" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "saved_searches_owner" ON "saved_searches" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "saved_searches_account" ON "saved_searches" USING btree ("account_id");