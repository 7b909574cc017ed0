-- `normalize_name` shortens more company forms, such as "L L C" and "LIMITED PARTNERSHIP". Computes the columns with names that have one again.
UPDATE "parcels" SET "owner_name" = "owner_name" WHERE "owner_name_normalized" ~ '\m(l l [cp]|(ltd|limited) (liability|partnership))\M';--> statement-breakpoint
UPDATE "entities" SET "name" = "name" WHERE "name_normalized" ~ '\m(l l [cp]|(ltd|limited) (liability|partnership))\M';--> statement-breakpoint
UPDATE "watches" SET "owner_name" = "owner_name" WHERE "owner_name_normalized" ~ '\m(l l [cp]|(ltd|limited) (liability|partnership))\M';--> statement-breakpoint
UPDATE "parcel_changes" SET "former_owner" = normalize_name("former_owner") WHERE "former_owner" ~ '\m(l l [cp]|(ltd|limited) (liability|partnership))\M';
