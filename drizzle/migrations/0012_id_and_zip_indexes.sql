DROP INDEX "parcels_id_key";--> statement-breakpoint
CREATE INDEX "parcels_situs_zip" ON "parcels" USING btree (left("situs_zip", 5));--> statement-breakpoint
CREATE INDEX "parcels_id_key" ON "parcels" USING btree (parcel_key("source_parcel_id") text_pattern_ops);