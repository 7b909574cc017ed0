-- Source health reads the last runs of each source from an index. For rows written since the last vacuum it must also read the table.
-- Frequent vacuums keep these rows few.
ALTER TABLE "scrape_jobs" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01);
