-- To avoid deadlocks, every writer locks rows in one order: parcels, entities, entities in the outbox, parcels in the outbox, each
-- by id. Therefore a statement's changes to an entity's count are summed first and written once.
--
-- A retired parcel has no links to entities and no search document.
CREATE OR REPLACE FUNCTION parcels_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH added AS (
    INSERT INTO entity_parcels (entity_id, parcel_id)
      SELECT e.id, p.id FROM new_rows p JOIN entities e ON e.name_normalized = p.owner_name_normalized
      WHERE p.retired_at IS NULL
      RETURNING entity_id
  ), change AS (
    SELECT entity_id, count(*) AS n FROM added GROUP BY entity_id
  ), locked AS (
    SELECT id FROM entities WHERE id IN (SELECT entity_id FROM change) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE entities e SET linked_parcel_count = linked_parcel_count + n, updated_at = now()
    FROM change JOIN locked ON locked.id = change.entity_id WHERE e.id = change.entity_id;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'parcel', id, nextval('search_outbox_seq') FROM (SELECT id FROM new_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_inserted AFTER INSERT ON parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_inserted();
--> statement-breakpoint
-- Finds changed rows with EXCEPT, not with a join of old and new rows. A connection plans a trigger's statement once, for the number
-- of rows in its first use. After an upsert that updated no row, the plan was a nested loop, and an update of 2,000 rows took 2 s.
CREATE OR REPLACE FUNCTION parcels_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH changed AS (
    SELECT id, CASE WHEN retired_at IS NULL THEN owner_name_normalized END AS owner FROM new_rows
    EXCEPT SELECT id, CASE WHEN retired_at IS NULL THEN owner_name_normalized END FROM old_rows
  ), gone AS (
    DELETE FROM entity_parcels link USING changed WHERE link.parcel_id = changed.id RETURNING entity_id
  ), added AS (
    INSERT INTO entity_parcels (entity_id, parcel_id)
      SELECT e.id, changed.id FROM changed JOIN entities e ON e.name_normalized = changed.owner
      RETURNING entity_id
  ), change AS (
    SELECT entity_id, sum(n) AS n
    FROM (SELECT entity_id, -1 AS n FROM gone UNION ALL SELECT entity_id, 1 FROM added) steps
    GROUP BY entity_id HAVING sum(n) <> 0
  ), locked AS (
    SELECT id FROM entities WHERE id IN (SELECT entity_id FROM change) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE entities e SET linked_parcel_count = linked_parcel_count + n, updated_at = now()
    FROM change JOIN locked ON locked.id = change.entity_id WHERE e.id = change.entity_id;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'parcel', id, nextval('search_outbox_seq') FROM (
      SELECT id FROM (
        SELECT id, source, source_parcel_id, owner_name, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip,
          assessed_value, acreage, land_use_class, zoning_code, zoning_description, bbox::text, account_owners(accounts), retired_at IS NULL FROM new_rows
        EXCEPT
        SELECT id, source, source_parcel_id, owner_name, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip,
          assessed_value, acreage, land_use_class, zoning_code, zoning_description, bbox::text, account_owners(accounts), retired_at IS NULL FROM old_rows
      ) different
      ORDER BY id
    ) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_updated AFTER UPDATE ON parcels
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_updated();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION parcels_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The foreign key has already deleted the links.
  WITH change AS (
    SELECT e.id AS entity_id, count(*) AS n FROM old_rows p JOIN entities e ON e.name_normalized = p.owner_name_normalized
    WHERE p.retired_at IS NULL GROUP BY e.id
  ), locked AS (
    SELECT id FROM entities WHERE id IN (SELECT entity_id FROM change) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE entities e SET linked_parcel_count = linked_parcel_count - n, updated_at = now()
    FROM change JOIN locked ON locked.id = change.entity_id WHERE e.id = change.entity_id;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'parcel', id, nextval('search_outbox_seq') FROM (SELECT id FROM old_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER parcels_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_deleted();
