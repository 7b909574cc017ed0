import type { Transaction } from '../../../core/postgres/database'

/** Stores how recent a source's data is: a year or an ISO date. Only an undo moves it back. */
export const advanceDataAsOf = async (tx: Transaction, source: string, dataAsOf: string): Promise<void> => {
  await tx`
    update sources set last_known_data_as_of = ${dataAsOf}
    where source = ${source} and (last_known_data_as_of is null or last_known_data_as_of < ${dataAsOf} collate "C")`
}

/**
 * After the undo of a load or crawl, whose data may have been the newest: sets how recent the source's remaining data is, which is the
 * newest date of its applied loads and of the scrapes that its parcels have. Null: not known.
 */
export const restoreDataAsOf = async (
  tx: Transaction,
  { source, kind, asOf }: { source: string; kind: 'ingest' | 'crawl'; asOf: string | null },
): Promise<void> => {
  await tx`
    update sources s set last_known_data_as_of = (
      select max(as_of collate "C") from (
        select as_of::text from loads where source = s.source and status = 'applied'
        union all
        select scrape_data_as_of from live_parcels where source = s.source
      ) remaining
    )
    where source = ${source} and (${kind} = 'crawl' or last_known_data_as_of = ${asOf})`
}
