-- How many more jobs of a vendor may start: its target less those that run. A job whose lease has ended does not count, because its
-- worker is lost. Locks the vendor until the transaction ends, so that starts are counted one after the other. Being volatile, it
-- counts by a snapshot that is taken once the lock is held; a query around it would count what ran before it waited.
CREATE FUNCTION vendor_room(asked text) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  target integer;
BEGIN
  SELECT target_concurrency INTO target FROM vendor_concurrency WHERE vendor = asked FOR NO KEY UPDATE;
  RETURN coalesce(target, 1) - (
    SELECT count(*) FROM scrape_jobs WHERE status = 'running' AND vendor = asked AND lease_expires_at > clock_timestamp()
  );
END $$;
