-- Bounds of stored text (src/bounds.ts). Earlier versions stored longer text, and the upgrade must not fail on it. So existing text
-- that is too long is cut and ends with an ellipsis until its source is loaded or scraped again. Scrape data over 1 MiB is removed
-- until the parcel is scraped again. The next review writes findings again.
DO $$
DECLARE
  bound record;
  cut bigint;
BEGIN
  FOR bound IN SELECT * FROM (VALUES
    ('parcels', 'owner_name', 500), ('parcels', 'owner_mailing_address', 500), ('parcels', 'situs_address', 500),
    ('parcels', 'situs_city', 250), ('parcels', 'situs_state', 100), ('parcels', 'situs_zip', 100),
    ('parcels', 'land_use_class', 250), ('parcels', 'zoning_code', 250), ('parcels', 'zoning_description', 2000),
    ('entities', 'name', 500), ('entities', 'entity_type', 250), ('entities', 'status', 250),
    ('entities', 'registered_agent_name', 500)
  ) AS bounds (table_name, column_name, most) LOOP
    EXECUTE format('UPDATE %1$I SET %2$I = left(%2$I, %3$s) || ''…'', updated_at = now() WHERE length(%2$I) > %4$s',
      bound.table_name, bound.column_name, bound.most - 1, bound.most);
    GET DIAGNOSTICS cut = ROW_COUNT;
    IF cut > 0 THEN
      RAISE WARNING '% rows of % had a % of more than % characters, which was cut', cut, bound.table_name, bound.column_name, bound.most;
    END IF;
  END LOOP;
END $$;
--> statement-breakpoint
UPDATE parcels SET owner_names_all = (
    SELECT array_agg(CASE WHEN length(name) > 500 THEN left(name, 499) || '…' ELSE name END ORDER BY place)
    FROM unnest(owner_names_all[1:200]) WITH ORDINALITY AS names (name, place)
  ), updated_at = now()
  WHERE cardinality(owner_names_all) > 200 OR EXISTS (SELECT FROM unnest(owner_names_all) AS name WHERE length(name) > 500);
--> statement-breakpoint
-- The number identifies the entity: different numbers must stay different.
UPDATE entities SET registry_number = left(registry_number, 223) || '~' || md5(registry_number), updated_at = now()
  WHERE length(registry_number) > 256;
--> statement-breakpoint
-- pg_column_size is the compressed size. The uncompressed size matters: a restored backup must pass the check too.
UPDATE parcels SET scrape_data = '{}', scraped_at = NULL, scraped_by = NULL, scrape_data_as_of = NULL,
    scrape_data_as_of_source = NULL, scrape_origins = NULL, updated_at = now()
  WHERE pg_column_size(scrape_data) > 10000 AND octet_length(scrape_data::text) > 1048576;
--> statement-breakpoint
DELETE FROM findings WHERE length(subject) > 256 OR (pg_column_size(evidence) > 1000 AND octet_length(evidence::text) > 131072);
--> statement-breakpoint
ALTER TABLE "parcels"
  ADD CONSTRAINT "parcels_owner_name_length" CHECK (length("parcels"."owner_name") <= 500),
  ADD CONSTRAINT "parcels_owner_names_all_length" CHECK (cardinality("parcels"."owner_names_all") <= 200 and length(array_to_string("parcels"."owner_names_all", '')) <= 100000),
  ADD CONSTRAINT "parcels_owner_mailing_address_length" CHECK (length("parcels"."owner_mailing_address") <= 500),
  ADD CONSTRAINT "parcels_situs_address_length" CHECK (length("parcels"."situs_address") <= 500),
  ADD CONSTRAINT "parcels_situs_city_length" CHECK (length("parcels"."situs_city") <= 250),
  ADD CONSTRAINT "parcels_situs_state_length" CHECK (length("parcels"."situs_state") <= 100),
  ADD CONSTRAINT "parcels_situs_zip_length" CHECK (length("parcels"."situs_zip") <= 100),
  ADD CONSTRAINT "parcels_land_use_class_length" CHECK (length("parcels"."land_use_class") <= 250),
  ADD CONSTRAINT "parcels_zoning_code_length" CHECK (length("parcels"."zoning_code") <= 250),
  ADD CONSTRAINT "parcels_zoning_description_length" CHECK (length("parcels"."zoning_description") <= 2000),
  ADD CONSTRAINT "parcels_scrape_data_size" CHECK (pg_column_size("parcels"."scrape_data") <= 4194304);
--> statement-breakpoint
ALTER TABLE "entities"
  ADD CONSTRAINT "entities_registry_number_length" CHECK (length("entities"."registry_number") <= 256),
  ADD CONSTRAINT "entities_name_length" CHECK (length("entities"."name") <= 500),
  ADD CONSTRAINT "entities_entity_type_length" CHECK (length("entities"."entity_type") <= 250),
  ADD CONSTRAINT "entities_status_length" CHECK (length("entities"."status") <= 250),
  ADD CONSTRAINT "entities_registered_agent_name_length" CHECK (length("entities"."registered_agent_name") <= 500);
--> statement-breakpoint
ALTER TABLE "findings"
  ADD CONSTRAINT "findings_subject_length" CHECK (length("findings"."subject") <= 256),
  ADD CONSTRAINT "findings_evidence_size" CHECK (pg_column_size("findings"."evidence") <= 524288);
