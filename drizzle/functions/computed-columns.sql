-- Generated columns and indexes store the results of the functions in this file. If you change a function, also add a migration that
-- computes those columns and indexes again.

-- Normalizes the name of an owner or company for comparison: lower case, no punctuation, short company forms, one space between words.
-- "ACME HOLDINGS, L.L.C." and "Acme Holdings LLC" are equal. Null when nothing is left. Most names have no long company form, and the
-- first branch does not look for each: that makes it twice as fast. It is not STRICT, because PostgreSQL would not inline it then
-- (`nullif` is not strict). Not inlined, it made an update of a parcel 5 % slower (2026-11-22).
CREATE OR REPLACE FUNCTION normalize_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN translate(lower(name), '.''’`', '') !~ 'limited|incorporated|corporation|company' THEN
    nullif(btrim(regexp_replace(replace(translate(lower(name), '.''’`', ''), '&', ' and '), '[^[:alnum:]]+', ' ', 'g')), '')
  ELSE nullif(btrim(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
      ' ' || regexp_replace(replace(translate(lower(name), '.''’`', ''), '&', ' and '), '[^[:alnum:]]+', ' ', 'g') || ' ',
      ' limited liability company ', ' llc '),
      ' incorporated ', ' inc '),
      ' corporation ', ' corp '),
      ' limited ', ' ltd '),
      ' company ', ' co ')
  ), '') END
$$;
--> statement-breakpoint
-- A parcel id in lower case without punctuation. An exact search for an id compares these.
CREATE OR REPLACE FUNCTION parcel_key(source_parcel_id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lower(regexp_replace(source_parcel_id, '[^[:alnum:]]+', '', 'g'))
$$;
--> statement-breakpoint
-- The short name of an account. Tables store it instead of an email, because the API shows those columns to every key. Only admins
-- can look up whose account it is.
CREATE OR REPLACE FUNCTION account_name(id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN 'account ' || left(encode(sha256(uuid_send(id)), 'hex'), 12);
