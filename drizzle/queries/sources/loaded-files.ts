import type { Db } from '../../../core/postgres/database'
import type { LoadedFile } from '../../schema/sources/sources'

/** The file that was last loaded into a source. Null: there is none, or its server does not report versions. */
export const findLoadedFile = async (db: Db, source: string): Promise<LoadedFile | null> => {
  const [row] = await db<{ file: LoadedFile | null }[]>`
    select loaded_file as file from sources where source = ${source}`
  return row?.file ?? null
}

/** Records that a file was loaded. Null: its server does not report versions. */
export const noteLoadedFile = async (
  db: Db,
  source: string,
  version: (Omit<LoadedFile, 'last_modified'> & { lastModified: string | null }) | null,
): Promise<void> => {
  const { lastModified: last_modified = null, ...rest } = version ?? {}
  const stored = version === null ? null : JSON.stringify({ ...rest, last_modified })
  await db`update sources set loaded_file = ${stored}::text::jsonb where source = ${source}`
}

/**
 * Records that the server says the file has not changed. If the source's last load is complete and applied, this counts as another full
 * read of the source. If that load is held or discarded, it does not: the source does not have the file's values.
 */
export const noteUnchangedFile = async (db: Db, source: string): Promise<void> => {
  await db`
    update sources set last_full_scrape_at = date_trunc('milliseconds', now())
    where source = ${source} and exists (
      select from (select status, is_complete from loads where source = ${source} order by id desc limit 1) last
      where status = 'applied' and is_complete
    )`
}
