-- Whether a vendor is paused, from its columns `paused_at` and `paused_until`. A pause with an end time expires by itself: nothing
-- updates the row.
CREATE OR REPLACE FUNCTION is_paused(since timestamp with time zone, until timestamp with time zone) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT since IS NOT NULL AND coalesce(until > now(), true)
$$;
