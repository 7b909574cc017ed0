-- Search documents contain the state and county name of their source.
CREATE OR REPLACE FUNCTION sources_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Every start of the service updates sources. It must not wait for a lock on all parcels. EXCEPT instead of a join: a connection keeps
  -- the plan of its first update, of one source, and would compare each source with each other in an update of thousands.
  IF NOT EXISTS (SELECT source, state, county_name FROM new_rows EXCEPT SELECT source, state, county_name FROM old_rows) THEN
    RETURN NULL;
  END IF;
  INSERT INTO search_outbox (kind, id, seq, moved)
    SELECT 'parcel', id, nextval('search_outbox_seq'), true FROM (
      SELECT p.id FROM live_parcels p JOIN new_rows s ON s.source = p.source JOIN old_rows o ON o.source = s.source
      WHERE (s.state, s.county_name) IS DISTINCT FROM (o.state, o.county_name)
      ORDER BY p.id
    ) changed
    ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, changed_at = excluded.changed_at, moved = true;
  IF FOUND THEN NOTIFY search_outbox; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER sources_updated AFTER UPDATE ON sources
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION sources_updated();
