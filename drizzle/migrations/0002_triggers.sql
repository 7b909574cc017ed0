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

-- Every writer takes its locks in one order: parcels, then entities, then the outbox's entities, then its parcels, each by
-- id. What a statement changes in the count of an entity is therefore summed up first, and written once.
CREATE FUNCTION parcels_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH added AS (
    INSERT INTO entity_parcels (entity_id, parcel_id)
      SELECT e.id, p.id FROM new_rows p JOIN entities e ON e.name_normalized = p.owner_name_normalized
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
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION parcels_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH changed AS (
    SELECT p.id, p.owner_name_normalized FROM new_rows p JOIN old_rows o USING (id)
    WHERE p.owner_name_normalized IS DISTINCT FROM o.owner_name_normalized
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
  -- The links themselves went with their parcels, by the foreign key.
  WITH change AS (
    SELECT e.id AS entity_id, count(*) AS n FROM old_rows p JOIN entities e ON e.name_normalized = p.owner_name_normalized
    GROUP BY e.id
  ), locked AS (
    SELECT id FROM entities WHERE id IN (SELECT entity_id FROM change) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE entities e SET linked_parcel_count = linked_parcel_count - n, updated_at = now()
    FROM change JOIN locked ON locked.id = change.entity_id WHERE e.id = change.entity_id;
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
    SELECT e.id, p.id FROM new_rows e JOIN parcels p ON p.owner_name_normalized = e.name_normalized;
  UPDATE entities e SET linked_parcel_count = linked.n
    FROM (SELECT link.entity_id, count(*) AS n FROM entity_parcels link JOIN new_rows ON new_rows.id = link.entity_id
          GROUP BY link.entity_id) linked
    WHERE e.id = linked.entity_id;
  INSERT INTO search_outbox (kind, id, seq)
    SELECT 'entity', id, nextval('search_outbox_seq') FROM (SELECT id FROM new_rows ORDER BY id) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq;
  NOTIFY search_outbox;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION entities_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Most updates of entities come from the counts above and rename nothing.
  IF EXISTS (SELECT FROM new_rows e JOIN old_rows o USING (id) WHERE e.name_normalized IS DISTINCT FROM o.name_normalized) THEN
    DELETE FROM entity_parcels link
      USING new_rows e JOIN old_rows o USING (id)
      WHERE link.entity_id = e.id AND e.name_normalized IS DISTINCT FROM o.name_normalized;
    INSERT INTO entity_parcels (entity_id, parcel_id)
      SELECT e.id, p.id
      FROM new_rows e JOIN old_rows o USING (id) JOIN parcels p ON p.owner_name_normalized = e.name_normalized
      WHERE e.name_normalized IS DISTINCT FROM o.name_normalized;
    UPDATE entities e SET linked_parcel_count = (SELECT count(*) FROM entity_parcels link WHERE link.entity_id = e.id)
      FROM new_rows n JOIN old_rows o USING (id)
      WHERE e.id = n.id AND n.name_normalized IS DISTINCT FROM o.name_normalized;
  END IF;
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
