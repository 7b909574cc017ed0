-- Staged records are read once and then deleted, so compressing them costs more time than it saves.
ALTER TABLE "load_batches" ALTER COLUMN "rows" SET STORAGE EXTERNAL;
