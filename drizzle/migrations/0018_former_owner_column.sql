DROP INDEX "parcel_changes_former_owner";--> statement-breakpoint
ALTER TABLE "parcel_changes" ADD COLUMN "former_owner" text;--> statement-breakpoint
UPDATE parcel_changes SET former_owner = normalize_name(changes -> 'owner_name' ->> 0) WHERE changes ? 'owner_name';--> statement-breakpoint
CREATE INDEX "parcel_changes_former_owner" ON "parcel_changes" USING btree ("former_owner") WHERE former_owner is not null;