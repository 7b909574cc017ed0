CREATE OR REPLACE FUNCTION entities_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO entity_parcels (entity_id, parcel_id)
    SELECT e.id, p.id FROM new_rows e JOIN live_parcels p ON p.owner_name_normalized = e.name_normalized;
  UPDATE entities e SET linked_parcel_count = linked.n
    FROM (SELECT link.entity_id, count(*) AS n FROM entity_parcels link JOIN new_rows ON new_rows.id = link.entity_id
          GROUP BY link.entity_id) linked
    WHERE e.id = linked.entity_id;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'entity', id, nextval('search_outbox_seq') FROM (SELECT id FROM new_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER entities_inserted AFTER INSERT ON entities
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION entities_inserted();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION entities_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Most updates of entities only change the count of linked parcels.
  IF EXISTS (SELECT id, name_normalized FROM new_rows EXCEPT SELECT id, name_normalized FROM old_rows) THEN
    DELETE FROM entity_parcels link
      USING (SELECT id, name_normalized FROM new_rows EXCEPT SELECT id, name_normalized FROM old_rows) renamed
      WHERE link.entity_id = renamed.id;
    INSERT INTO entity_parcels (entity_id, parcel_id)
      SELECT renamed.id, p.id
      FROM (SELECT id, name_normalized FROM new_rows EXCEPT SELECT id, name_normalized FROM old_rows) renamed
      JOIN live_parcels p ON p.owner_name_normalized = renamed.name_normalized;
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
--> statement-breakpoint
CREATE OR REPLACE TRIGGER entities_updated AFTER UPDATE ON entities
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION entities_updated();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION entities_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'entity', id, nextval('search_outbox_seq') FROM (SELECT id FROM old_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER entities_deleted AFTER DELETE ON entities
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION entities_deleted();
