import type { Db } from '../../../core/postgres/database'
import { accountsColumn, addLinks, type LinkedParcel, linkedParcels, recordColumns } from '../parcels/parcels'

export interface FormerParcel {
  /** The JSON text of the API's full record. Null: the parcel was not known yet. */
  body: string | null
  /** ISO 8601. Null: the log does not have its creation. */
  firstKnownAt: string | null
}

/**
 * A parcel as it was at the time `asOf` (ISO 8601). Null for an unknown parcel. Links have no history: a parcel has those of its
 * links today whose predecessor has been retired since then.
 */
export const findFormerParcel = async (
  db: Db,
  { source, id }: { source: string; id: string },
  asOf: string,
): Promise<FormerParcel | null> => {
  const [row] = await db<(FormerParcel & { linked: LinkedParcel[] | null })[]>`
    select case when put_back.former is not null then (
        select row_to_json(record)::text
        from (select ${recordColumns(db)}, ${accountsColumn(db)} from jsonb_populate_record(parcel, put_back.former)) record
      ) end as body,
      ${linkedParcels(db, asOf)} as linked,
      (select iso_utc(at) from parcel_changes c where c.parcel_id = parcel.id order by version limit 1) as "firstKnownAt"
    from parcels parcel cross join lateral (select parcel_values_to_put_back(parcel.id, ${asOf}) as former) put_back
    where parcel.source = ${source} and parcel.source_parcel_id = ${id}`
  if (row === undefined) return null
  const { body, firstKnownAt, linked } = row
  return { body: body === null ? null : addLinks(body, linked ?? []), firstKnownAt }
}
