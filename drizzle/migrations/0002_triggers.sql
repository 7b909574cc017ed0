-- Bounding boxes are answered from this index alone: a page of ids is cut before any row is read.
CREATE INDEX parcels_bbox ON parcels USING gist (bbox) INCLUDE (id, source);
--> statement-breakpoint
CREATE SEQUENCE search_outbox_seq;
--> statement-breakpoint

-- Links between parcels and entities are made from both sides, each side looking at the other. So that two sides loaded
-- at once cannot miss each other, writers of entities exclude writers of parcels for the length of a statement's transaction.
CREATE FUNCTION lock_links_shared() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('entity_parcels'));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION lock_links_exclusive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('entity_parcels'));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER parcels_lock_links BEFORE INSERT OR UPDATE OF owner_name ON parcels
  FOR EACH STATEMENT EXECUTE FUNCTION lock_links_shared();
--> statement-breakpoint
CREATE TRIGGER entities_lock_links BEFORE INSERT OR UPDATE OF name ON entities
  FOR EACH STATEMENT EXECUTE FUNCTION lock_links_exclusive();
--> statement-breakpoint

CREATE FUNCTION parcels_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO entity_parcels (entity_id, parcel_id)
    SELECT e.id, p.id FROM new_rows p JOIN entities e ON e.name_normalized = p.owner_name_normalized
    ON CONFLICT DO NOTHING;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'parcel', id, nextval('search_outbox_seq') FROM (SELECT id FROM new_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION parcels_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM entity_parcels link
    USING new_rows p JOIN old_rows o USING (id)
    WHERE link.parcel_id = p.id AND p.owner_name_normalized IS DISTINCT FROM o.owner_name_normalized;
  INSERT INTO entity_parcels (entity_id, parcel_id)
    SELECT e.id, p.id
    FROM new_rows p JOIN old_rows o USING (id) JOIN entities e ON e.name_normalized = p.owner_name_normalized
    WHERE p.owner_name_normalized IS DISTINCT FROM o.owner_name_normalized
    ON CONFLICT DO NOTHING;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'parcel', id, nextval('search_outbox_seq') FROM (
      SELECT p.id FROM new_rows p JOIN old_rows o USING (id)
      WHERE (p.source, p.source_parcel_id, p.owner_name, p.owner_mailing_address, p.situs_address, p.situs_city,
             p.situs_state, p.situs_zip, p.assessed_value, p.land_use_class, p.zoning_code, p.zoning_description, p.bbox::text)
        IS DISTINCT FROM
            (o.source, o.source_parcel_id, o.owner_name, o.owner_mailing_address, o.situs_address, o.situs_city,
             o.situs_state, o.situs_zip, o.assessed_value, o.land_use_class, o.zoning_code, o.zoning_description, o.bbox::text)
      ORDER BY p.id
    ) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION parcels_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'parcel', id, nextval('search_outbox_seq') FROM (SELECT id FROM old_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER parcels_inserted AFTER INSERT ON parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_inserted();
--> statement-breakpoint
CREATE TRIGGER parcels_updated AFTER UPDATE ON parcels
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_updated();
--> statement-breakpoint
CREATE TRIGGER parcels_deleted AFTER DELETE ON parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION parcels_deleted();
--> statement-breakpoint

CREATE FUNCTION entities_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO entity_parcels (entity_id, parcel_id)
    SELECT e.id, p.id FROM new_rows e JOIN parcels p ON p.owner_name_normalized = e.name_normalized
    ON CONFLICT DO NOTHING;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'entity', id, nextval('search_outbox_seq') FROM (SELECT id FROM new_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION entities_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM entity_parcels link
    USING new_rows e JOIN old_rows o USING (id)
    WHERE link.entity_id = e.id AND e.name_normalized IS DISTINCT FROM o.name_normalized;
  INSERT INTO entity_parcels (entity_id, parcel_id)
    SELECT e.id, p.id
    FROM new_rows e JOIN old_rows o USING (id) JOIN parcels p ON p.owner_name_normalized = e.name_normalized
    WHERE e.name_normalized IS DISTINCT FROM o.name_normalized
    ON CONFLICT DO NOTHING;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'entity', id, nextval('search_outbox_seq') FROM (
      SELECT e.id FROM new_rows e JOIN old_rows o USING (id)
      WHERE (e.jurisdiction, e.registry_number, e.name, e.entity_type, e.status, e.registered_agent_name, e.linked_parcel_count)
        IS DISTINCT FROM
            (o.jurisdiction, o.registry_number, o.name, o.entity_type, o.status, o.registered_agent_name, o.linked_parcel_count)
      ORDER BY e.id
    ) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION entities_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'entity', id, nextval('search_outbox_seq') FROM (SELECT id FROM old_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER entities_inserted AFTER INSERT ON entities
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION entities_inserted();
--> statement-breakpoint
CREATE TRIGGER entities_updated AFTER UPDATE ON entities
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION entities_updated();
--> statement-breakpoint
CREATE TRIGGER entities_deleted AFTER DELETE ON entities
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION entities_deleted();
--> statement-breakpoint

-- Counts of links, by sets; rows are locked in the order of their ids, so that two loads cannot block each other for ever.
CREATE FUNCTION links_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Statement triggers run for empty statements too; without this the triggers of both tables would call each other for ever.
  IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;
  PERFORM 1 FROM entities WHERE id IN (SELECT entity_id FROM new_rows) ORDER BY id FOR NO KEY UPDATE;
  UPDATE entities e SET linked_parcel_count = linked_parcel_count + added.n, updated_at = now()
    FROM (SELECT entity_id, count(*) AS n FROM new_rows GROUP BY entity_id) added WHERE e.id = added.entity_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION links_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Statement triggers run for empty statements too; without this the triggers of both tables would call each other for ever.
  IF NOT EXISTS (SELECT FROM old_rows) THEN RETURN NULL; END IF;
  PERFORM 1 FROM entities WHERE id IN (SELECT entity_id FROM old_rows) ORDER BY id FOR NO KEY UPDATE;
  UPDATE entities e SET linked_parcel_count = linked_parcel_count - gone.n, updated_at = now()
    FROM (SELECT entity_id, count(*) AS n FROM old_rows GROUP BY entity_id) gone WHERE e.id = gone.entity_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER links_inserted AFTER INSERT ON entity_parcels
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION links_inserted();
--> statement-breakpoint
CREATE TRIGGER links_deleted AFTER DELETE ON entity_parcels
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION links_deleted();
--> statement-breakpoint

-- Search documents carry their source's state and county name.
CREATE FUNCTION sources_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'parcel', id, nextval('search_outbox_seq') FROM (
      SELECT p.id FROM parcels p JOIN new_rows s ON s.source = p.source JOIN old_rows o ON o.source = s.source
      WHERE (s.state, s.county_name) IS DISTINCT FROM (o.state, o.county_name)
      ORDER BY p.id
    ) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER sources_updated AFTER UPDATE ON sources
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION sources_updated();
