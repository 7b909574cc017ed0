DROP VIEW "public"."live_parcels";--> statement-breakpoint
ALTER TABLE "parcels" DROP CONSTRAINT "parcels_bbox_with_geom";--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "lon" double precision;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "lat" double precision;--> statement-breakpoint
CREATE INDEX "parcel_changes_former_point" ON "parcel_changes" USING gist (box_at((changes -> 'lon' ->> 0)::float8, (changes -> 'lat' ->> 0)::float8)) WHERE changes ? 'lon';--> statement-breakpoint
CREATE INDEX "parcels_points" ON "parcels" USING btree ("source") WHERE geom is null and lon is not null;--> statement-breakpoint
ALTER TABLE "parcels" ADD CONSTRAINT "parcels_lon_degrees" CHECK ("parcels"."lon" between -180 and 180);--> statement-breakpoint
ALTER TABLE "parcels" ADD CONSTRAINT "parcels_lat_degrees" CHECK ("parcels"."lat" between -90 and 90);--> statement-breakpoint
ALTER TABLE "parcels" ADD CONSTRAINT "parcels_point" CHECK (("parcels"."lon" is null) = ("parcels"."lat" is null));--> statement-breakpoint
ALTER TABLE "parcels" ADD CONSTRAINT "parcels_bbox_of_place" CHECK (("parcels"."bbox" is null) = ("parcels"."geom" is null and "parcels"."lon" is null));--> statement-breakpoint
CREATE VIEW "public"."live_parcels" AS (select "id", "source", "source_parcel_id", "geom", "bbox", "lon", "lat", "acreage", "owner_name", "owner_names_all", "owner_mailing_address", "situs_address", "situs_city", "situs_state", "situs_zip", "land_use_class", "zoning_code", "zoning_description", "is_agricultural", "assessed_value", "value_land", "value_improvement", "accounts", "scrape_data", "scraped_at", "scraped_by", "crawl_id", "scrape_data_as_of", "scrape_data_as_of_source", "retired_at", "cause_id", "origin", "ingested_at", "updated_at", "owner_name_normalized" from "parcels" where "parcels"."retired_at" is null);