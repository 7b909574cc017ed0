CREATE TABLE "parcel_links" (
	"predecessor" uuid NOT NULL,
	"successor" uuid NOT NULL,
	"kind" text NOT NULL,
	"load_id" uuid NOT NULL,
	CONSTRAINT "parcel_links_predecessor_successor_pk" PRIMARY KEY("predecessor","successor"),
	CONSTRAINT "parcel_links_kind" CHECK (kind in ('split', 'merge', 'replaced'))
);
--> statement-breakpoint
ALTER TABLE "parcel_links" ADD CONSTRAINT "parcel_links_predecessor_parcels_id_fk" FOREIGN KEY ("predecessor") REFERENCES "public"."parcels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "parcel_links" ADD CONSTRAINT "parcel_links_successor_parcels_id_fk" FOREIGN KEY ("successor") REFERENCES "public"."parcels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "parcel_links_successor" ON "parcel_links" USING btree ("successor");--> statement-breakpoint
CREATE INDEX "parcel_links_load" ON "parcel_links" USING btree ("load_id");