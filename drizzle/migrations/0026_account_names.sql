-- What is stored of people who did something is a short name of their account instead of their email: the API shows these
-- columns to every key, and only admins may learn whose account it is.
CREATE FUNCTION account_name(id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN 'account ' || left(encode(sha256(uuid_send(id)), 'hex'), 12);
--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_name" ON "accounts" USING btree (account_name("id"));
--> statement-breakpoint
-- Emails that are stored already. One that belongs to no account any more gets a name that nothing leads back from: the salt is forgotten.
SELECT set_config('service.salt', gen_random_uuid()::text, true);
--> statement-breakpoint
CREATE FUNCTION pg_temp.name_of(who text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN strpos(who, '@') = 0 THEN who ELSE coalesce(
    (SELECT account_name(id) FROM accounts WHERE lower(email) = lower(who) ORDER BY id LIMIT 1),
    'account ' || left(encode(sha256(convert_to(current_setting('service.salt') || lower(who), 'UTF8')), 'hex'), 12)
  ) END
$$;
--> statement-breakpoint
CREATE FUNCTION pg_temp.without_email(message text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN message LIKE 'cancelled by %@%' THEN 'cancelled by ' || pg_temp.name_of(substr(message, 14)) ELSE message END
$$;
--> statement-breakpoint
UPDATE tuning_log SET reason = replace(reason, actor, pg_temp.name_of(actor)), actor = pg_temp.name_of(actor) WHERE actor LIKE '%@%';
--> statement-breakpoint
UPDATE vendor_concurrency SET updated_by = pg_temp.name_of(updated_by) WHERE updated_by LIKE '%@%';
--> statement-breakpoint
UPDATE scrape_jobs SET requested_by = pg_temp.name_of(requested_by), error_message = pg_temp.without_email(error_message),
  failures = CASE WHEN failures::text LIKE '%cancelled by %@%' THEN (
    SELECT jsonb_agg(CASE WHEN try ->> 'error_message' LIKE 'cancelled by %@%'
      THEN jsonb_set(try, '{error_message}', to_jsonb(pg_temp.without_email(try ->> 'error_message'))) ELSE try END ORDER BY place)
    FROM jsonb_array_elements(failures) WITH ORDINALITY tries (try, place)
  ) ELSE failures END
  WHERE requested_by LIKE '%@%' OR error_message LIKE 'cancelled by %@%' OR failures::text LIKE '%cancelled by %@%';
--> statement-breakpoint
UPDATE crawls SET requested_by = pg_temp.name_of(requested_by), error_message = pg_temp.without_email(error_message)
  WHERE requested_by LIKE '%@%' OR error_message LIKE 'cancelled by %@%';
--> statement-breakpoint
UPDATE tile_build_requests SET requested_by = pg_temp.name_of(requested_by) WHERE requested_by LIKE '%@%';
--> statement-breakpoint
-- No news for those who follow builds.
ALTER TABLE tile_builds DISABLE TRIGGER tile_builds_events;
--> statement-breakpoint
UPDATE tile_builds SET requested_by = pg_temp.name_of(requested_by) WHERE requested_by LIKE '%@%';
--> statement-breakpoint
ALTER TABLE tile_builds ENABLE TRIGGER tile_builds_events;
--> statement-breakpoint
ALTER TABLE search_index_work DISABLE TRIGGER search_index_work_events;
--> statement-breakpoint
UPDATE search_index_work SET requested_by = pg_temp.name_of(requested_by) WHERE requested_by LIKE '%@%';
--> statement-breakpoint
ALTER TABLE search_index_work ENABLE TRIGGER search_index_work_events;
--> statement-breakpoint
UPDATE events SET error_message = pg_temp.without_email(error_message) WHERE error_message LIKE 'cancelled by %@%';
--> statement-breakpoint
UPDATE events SET payload = jsonb_set(payload, '{error_message}', to_jsonb(pg_temp.without_email(payload ->> 'error_message')))
  WHERE payload ->> 'error_message' LIKE 'cancelled by %@%';
--> statement-breakpoint
DROP FUNCTION pg_temp.without_email(text);
--> statement-breakpoint
DROP FUNCTION pg_temp.name_of(text);
