-- Where a parcel is: its boundary, or a point if the boundary is unknown. A point is stored as `lon` and `lat`, and its box has no extent.

CREATE OR REPLACE FUNCTION box_at(lon double precision, lat double precision) RETURNS box LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN box(point(lon, lat), point(lon, lat));
--> statement-breakpoint
-- The boundary, or the point as GeoJSON. Null: neither is known.
CREATE OR REPLACE FUNCTION place_geojson(geom json, lon double precision, lat double precision) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(geom, CASE WHEN lon IS NOT NULL THEN json_build_object('type', 'Point', 'coordinates', json_build_array(lon, lat)) END);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION parcels_point_box() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.bbox := box_at(NEW.lon, NEW.lat);
  RETURN NEW;
END $$;
--> statement-breakpoint
-- A row whose boundary is known keeps the box that its writer gives it.
CREATE OR REPLACE TRIGGER parcels_point_box BEFORE INSERT OR UPDATE ON parcels
  FOR EACH ROW WHEN (NEW.geom IS NULL) EXECUTE FUNCTION parcels_point_box();
