import type { Db } from '../../../core/postgres/database'
import type { LoadedFile } from '../../schema/sources/sources'

/** The file that was loaded last into a source. Null: none, or its server does not name versions. */
export const findLoadedFile = async (db: Db, source: string): Promise<LoadedFile | null> => {
  const [row] = await db<{ file: LoadedFile | null }[]>`
    select loaded_file as file from sources where source = ${source}`
  return row?.file ?? null
}

/** A file was loaded. `isFull`: it listed all parcels, and is applied. */
export const noteLoadedFile = async (
  db: Db,
  source: string,
  {
    version,
    isFull,
  }: { version: (Omit<LoadedFile, 'last_modified'> & { lastModified: string | null }) | null; isFull: boolean },
): Promise<void> => {
  const { lastModified: last_modified = null, ...rest } = version ?? {}
  const stored = version === null ? null : JSON.stringify({ ...rest, last_modified })
  await db`
    update sources set loaded_file = ${stored}::text::jsonb,
      last_full_scrape_at = case when ${isFull} then date_trunc('milliseconds', now()) else last_full_scrape_at end
    where source = ${source}`
}
