-- Generated columns and indexes store the results of the functions in this file. If you change a function, also add a migration that
-- computes those columns and indexes again.

-- Normalizes the name of an owner or company for comparison: lower case, no punctuation and accents, short company forms, one space between words.
-- "ACME HOLDINGS, L.L.C.", "ACME HOLDINGS L L C" and "Acme Holdings LLC" are equal. "L P" and "P C" stay, because people have these initials.
-- Null when nothing is left. It is computed for every parcel that is written, so it avoids regular expressions where it can: a name of the
-- sample county takes 2.2 µs, and took 5.8 µs when each went through all of them (2026-11-23).
CREATE OR REPLACE FUNCTION normalize_name(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  words text := replace(replace(lower(name), ' & ', ' and '), ', ', ' ');
BEGIN
  IF words !~ '^[a-z0-9]+( [a-z0-9]+)*$' THEN
    -- Letters that are not ASCII have more bytes than characters.
    IF octet_length(words) > length(words) THEN
      words := normalize(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g'), NFC);
    END IF;
    words := btrim(regexp_replace(replace(translate(words, '.''’`', ''), '&', ' and '), '[^[:alnum:]]+', ' ', 'g'));
  END IF;
  IF strpos(words, 'limited') > 0 OR strpos(words, 'corporat') > 0 OR strpos(words, 'company') > 0 OR strpos(words, ' ltd ') > 0
    OR strpos(words, ' l l ') > 0 THEN
    words := btrim(
      regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
        ' ' || words || ' ',
        ' p l l c ', ' pllc '),
        ' (?:limited|ltd) liability (?:company|co) | l l c ', ' llc '),
        ' (?:limited|ltd) liability partnership | l l p ', ' llp '),
        ' (?:limited|ltd) partnership ', ' lp '),
        ' incorporated ', ' inc '),
        ' corporation ', ' corp '),
        ' limited ', ' ltd '),
        ' company ', ' co '));
  END IF;
  RETURN nullif(words, '');
END $$;
--> statement-breakpoint
-- A parcel id in lower case without punctuation. An exact search for an id compares these. Removing the usual punctuation first halves
-- the time.
CREATE OR REPLACE FUNCTION parcel_key(source_parcel_id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lower(regexp_replace(replace(replace(source_parcel_id, '-', ''), ' ', ''), '[^[:alnum:]]+', '', 'g'))
$$;
--> statement-breakpoint
-- The distinct owners of a parcel's accounts, one per line, for search. Names contain no line breaks. Most parcels have one account,
-- and reading its owner takes a fifth of the time of the aggregate (2026-11-23).
CREATE OR REPLACE FUNCTION account_owners(accounts jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF jsonb_array_length(accounts) = 1 THEN
    RETURN accounts -> 0 ->> 'owner_name';
  END IF;
  RETURN (SELECT string_agg(DISTINCT account ->> 'owner_name', E'\n') FROM jsonb_array_elements(accounts) account);
END $$;
--> statement-breakpoint
-- The short name of an account. Tables store it instead of an email, because the API shows those columns to every key. Only admins
-- can look up whose account it is.
CREATE OR REPLACE FUNCTION account_name(id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN 'account ' || left(encode(sha256(uuid_send(id)), 'hex'), 12);
