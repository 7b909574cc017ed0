-- The place of a parcel: its boundary, or a point if the boundary is unknown. A point is stored as `lon` and `lat`, and its box has no
-- extent.

CREATE OR REPLACE FUNCTION box_at(lon double precision, lat double precision) RETURNS box LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN box(point(lon, lat), point(lon, lat));
--> statement-breakpoint
-- The middle of a parcel's box. A box wider than half the globe is that of a parcel on both sides of the antimeridian, where its middle is.
CREATE OR REPLACE FUNCTION middle(bbox box) RETURNS point LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN CASE WHEN width(bbox) > 180 THEN point(-180, (center(bbox))[1]) ELSE center(bbox) END;
--> statement-breakpoint
-- The boundary, or the point as GeoJSON. Null: neither is known.
CREATE OR REPLACE FUNCTION place_geojson(geom json, lon double precision, lat double precision) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(geom, CASE WHEN lon IS NOT NULL THEN json_build_object('type', 'Point', 'coordinates', json_build_array(lon, lat)) END);
--> statement-breakpoint
-- A connection that plans each statement each time would plan the assignment for each row.
CREATE OR REPLACE FUNCTION parcels_point_box() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = auto AS $$
BEGIN
  NEW.bbox := box_at(NEW.lon, NEW.lat);
  RETURN NEW;
END $$;
--> statement-breakpoint
-- A row whose boundary is known keeps the box that its writer gives it. Most rows without a place have no box to remove.
CREATE OR REPLACE TRIGGER parcels_point_box BEFORE INSERT OR UPDATE ON parcels
  FOR EACH ROW WHEN (NEW.geom IS NULL AND (NEW.lon IS NOT NULL OR NEW.bbox IS NOT NULL)) EXECUTE FUNCTION parcels_point_box();
--> statement-breakpoint
-- Whether a boundary with this bounding box certainly intersects the query box. A boundary touches each side of its bounding box, so it
-- does if one of these sides is inside the query box. Only parcels at the query box's corners, and larger ones, remain undecided.
CREATE OR REPLACE FUNCTION surely_meets(bbox box, west double precision, south double precision, east double precision, north double precision) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (
    (bbox[1])[1] >= south AND (bbox[0])[1] <= north
      AND ((bbox[1])[0] BETWEEN west AND east OR (bbox[0])[0] BETWEEN west AND east)
  ) OR (
    (bbox[1])[0] >= west AND (bbox[0])[0] <= east
      AND ((bbox[1])[1] BETWEEN south AND north OR (bbox[0])[1] BETWEEN south AND north)
  );
