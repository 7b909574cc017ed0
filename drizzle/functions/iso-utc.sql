-- A time as the API writes it: ISO 8601, UTC, three decimals.
CREATE OR REPLACE FUNCTION iso_utc(moment timestamp with time zone) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
