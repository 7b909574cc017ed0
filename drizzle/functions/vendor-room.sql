-- Returns how many more jobs of a vendor may start: its target minus its running jobs, or 0 while it is paused. A job with an expired
-- lease does not count, because its worker is lost. The function locks the vendor until the transaction ends, so that only one
-- transaction counts at a time. It is volatile, so its count uses a snapshot taken after the lock. A subquery would use one from before
-- the wait.
--
-- The index of running jobs also lists those that have just ended, thousands of them. An index scan skips them after the first time, a
-- bitmap scan never does.
CREATE OR REPLACE FUNCTION vendor_room(asked text) RETURNS integer LANGUAGE plpgsql VOLATILE SET enable_bitmapscan = off AS $$
DECLARE
  target integer;
BEGIN
  SELECT CASE WHEN is_paused(v.paused_at, v.paused_until) THEN 0 ELSE target_concurrency END INTO target
    FROM vendor_concurrency v WHERE vendor = asked FOR NO KEY UPDATE;
  RETURN coalesce(target, 1) - (
    SELECT count(*) FROM scrape_jobs WHERE status = 'running' AND vendor = asked AND lease_expires_at > clock_timestamp()
  );
END $$;
