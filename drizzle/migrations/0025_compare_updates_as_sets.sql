-- What an update changed is told by sets (EXCEPT), not by a join of the rows before and after. A trigger's statement is planned once
-- for as long as the connection lasts, for as many rows as came first: after an upsert that updated none it was a nested loop, and an
-- update of 2,000 rows took 2 s.
CREATE OR REPLACE FUNCTION parcels_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH changed AS (
    SELECT id, owner_name_normalized FROM new_rows EXCEPT SELECT id, owner_name_normalized FROM old_rows
  ), gone AS (
    DELETE FROM entity_parcels link USING changed WHERE link.parcel_id = changed.id RETURNING entity_id
  ), added AS (
    INSERT INTO entity_parcels (entity_id, parcel_id)
      SELECT e.id, changed.id FROM changed JOIN entities e ON e.name_normalized = changed.owner_name_normalized
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
          assessed_value, land_use_class, zoning_code, zoning_description, bbox::text FROM new_rows
        EXCEPT
        SELECT id, source, source_parcel_id, owner_name, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip,
          assessed_value, land_use_class, zoning_code, zoning_description, bbox::text FROM old_rows
      ) different
      ORDER BY id
    ) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION entities_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Most updates of entities come from the counts above and rename nothing.
  IF EXISTS (SELECT id, name_normalized FROM new_rows EXCEPT SELECT id, name_normalized FROM old_rows) THEN
    DELETE FROM entity_parcels link
      USING (SELECT id, name_normalized FROM new_rows EXCEPT SELECT id, name_normalized FROM old_rows) renamed
      WHERE link.entity_id = renamed.id;
    INSERT INTO entity_parcels (entity_id, parcel_id)
      SELECT renamed.id, p.id
      FROM (SELECT id, name_normalized FROM new_rows EXCEPT SELECT id, name_normalized FROM old_rows) renamed
      JOIN parcels p ON p.owner_name_normalized = renamed.name_normalized;
    UPDATE entities e SET linked_parcel_count = (SELECT count(*) FROM entity_parcels link WHERE link.entity_id = e.id)
      FROM (SELECT id, name_normalized FROM new_rows EXCEPT SELECT id, name_normalized FROM old_rows) renamed
      WHERE e.id = renamed.id;
  END IF;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'entity', id, nextval('search_outbox_seq') FROM (
      SELECT id FROM (
        SELECT id, jurisdiction, registry_number, name, entity_type, status, registered_agent_name, linked_parcel_count FROM new_rows
        EXCEPT
        SELECT id, jurisdiction, registry_number, name, entity_type, status, registered_agent_name, linked_parcel_count FROM old_rows
      ) different
      ORDER BY id
    ) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
