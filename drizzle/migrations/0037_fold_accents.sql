-- `normalize_name` folds accents. Computes the columns with names that have any again.
UPDATE "parcels" SET "owner_name" = "owner_name" WHERE octet_length("owner_name") > length("owner_name");--> statement-breakpoint
UPDATE "entities" SET "name" = "name" WHERE octet_length("name") > length("name");--> statement-breakpoint
UPDATE "watches" SET "owner_name" = "owner_name" WHERE octet_length("owner_name") > length("owner_name");--> statement-breakpoint
UPDATE "parcel_changes" SET "former_owner" = normalize_name("former_owner") WHERE octet_length("former_owner") > length("former_owner");
