DROP INDEX "parcels_agricultural";--> statement-breakpoint
CREATE INDEX "parcels_agricultural" ON "parcels" USING btree ("source","id") WHERE is_agricultural and retired_at is null;--> statement-breakpoint
CREATE VIEW "public"."live_parcels" AS (select "id", "source", "source_parcel_id", "geom", "bbox", "acreage", "owner_name", "owner_names_all", "owner_mailing_address", "situs_address", "situs_city", "situs_state", "situs_zip", "land_use_class", "zoning_code", "zoning_description", "is_agricultural", "assessed_value", "value_land", "value_improvement", "scrape_data", "scraped_at", "scraped_by", "crawl_id", "scrape_data_as_of", "scrape_data_as_of_source", "scrape_origins", "retired_at", "cause_id", "origin", "ingested_at", "updated_at", "owner_name_normalized" from "parcels" where "parcels"."retired_at" is null);--> statement-breakpoint
-- Answers bounding boxes of listed parcels from the index alone.
DROP INDEX "parcels_bbox";--> statement-breakpoint
CREATE INDEX "parcels_bbox" ON "parcels" USING gist ("bbox") INCLUDE ("id", "source", "retired_at");
