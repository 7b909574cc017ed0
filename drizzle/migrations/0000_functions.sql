CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- An owner's or company's name as it is compared: lower case, no punctuation, the usual company forms shortened, one
-- space between words. "ACME HOLDINGS, L.L.C." and "Acme Holdings LLC" are equal. Null when nothing is left.
CREATE FUNCTION normalize_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT nullif(btrim(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
      ' ' || regexp_replace(replace(translate(lower(name), '.''’`', ''), '&', ' and '), '[^[:alnum:]]+', ' ', 'g') || ' ',
      ' limited liability company ', ' llc '),
      ' incorporated ', ' inc '),
      ' corporation ', ' corp '),
      ' limited ', ' ltd '),
      ' company ', ' co ')
  ), '')
$$;
--> statement-breakpoint
-- A parcel id without its punctuation, in lower case: what an exact search for an id compares.
CREATE FUNCTION parcel_key(source_parcel_id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lower(regexp_replace(source_parcel_id, '[^[:alnum:]]+', '', 'g'))
$$;
--> statement-breakpoint
-- A moment as the API writes it: ISO 8601, UTC, always three decimals.
CREATE FUNCTION iso_utc(moment timestamptz) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
