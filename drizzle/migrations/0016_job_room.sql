-- Room for a second version of a row beside the first: asking for parcels whose jobs are queued already moves `updated_at`, which no
-- index has, so that such updates touch none (https://www.postgresql.org/docs/18/storage-hot.html).
ALTER TABLE "scrape_jobs" SET (fillfactor = 60);
