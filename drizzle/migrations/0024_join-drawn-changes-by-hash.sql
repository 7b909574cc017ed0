-- An upsert fires the trigger of updates too, often without a row. The plan made for that is kept as long as the connection lasts:
-- it was a nested loop, which compares each of the rows updated later with each.
ALTER FUNCTION parcels_drawn_updated() SET enable_nestloop = off;
