import type { MultiPolygon } from 'geojson'
import { parcelFields, type StoredValues } from '../../../core/parcels/fields'
import type { Db, Transaction } from '../../../core/postgres/database'
import type { Cadence, Cause, ChangeAction } from '../../schema/values'
import type { FindingInput } from '../findings/store-findings'
import { selectValues } from './field-columns'

/** Maximum number of changes of a parcel that a review reads. */
const CHANGES_READ = 20

const VALUES = selectValues(
  parcelFields.map(({ name }) => name),
  'p',
)

/** A stored finding of a parcel, for the next review. */
export interface StandingFindingRow {
  rule: string
  subject: string
  severity: FindingInput['severity']
  evidence: Record<string, unknown>
  /** ISO 8601, UTC. */
  generatedAt: string
}

/** A row of the change log, for the next review. Fields that did not change are missing. */
export interface LoggedChangeRow {
  /** ISO 8601, UTC. */
  at: string
  action: ChangeAction
  cause: Cause | null
  causeId: string | null
  /** [former, new]. */
  ownerName?: [string | null, string | null]
  assessedValue?: [number | null, number | null]
}

/** A stored parcel with everything else that its review needs. */
export interface StoredParcel extends StoredValues {
  id: string
  sourceParcelId: string
  geom: MultiPolygon | null
  /** `{}` before the first scrape. */
  scrapeData: Record<string, unknown>
  /** The last crawl that found it; null before the first. */
  crawlId: string | null
  findings: StandingFindingRow[]
  /** The last changes, newest first. */
  changes: LoggedChangeRow[]
}

/** What a review needs to know about the source. */
export interface ReviewedSource {
  state: string
  cadence: Cadence
}

export const findReviewedSource = async (db: Db, source: string): Promise<ReviewedSource> => {
  const [row] = await db<ReviewedSource[]>`
    select s.state, coalesce(policy.cadence, 'annual') as cadence
    from sources s left join source_refresh_policies policy using (source) where s.source = ${source}`
  if (row === undefined) throw new Error(`no source ${source}`)
  return row
}

/**
 * The stored parcels of a source by `sourceParcelId`. Parcels that are not stored are missing. The rows are locked until the
 * transaction ends, in the order that all writers use.
 */
export const readStoredParcels = async (
  tx: Transaction,
  source: string,
  sourceParcelIds: readonly string[],
): Promise<Map<string, StoredParcel>> => {
  const rows = await tx<StoredParcel[]>`
    select p.id, p.source_parcel_id as "sourceParcelId", p.geom, ${tx.unsafe(VALUES)},
      p.scrape_data as "scrapeData", p.crawl_id as "crawlId",
      coalesce((
        select jsonb_agg(jsonb_build_object('rule', f.rule, 'subject', f.subject, 'severity', f.severity,
          'evidence', f.evidence, 'generatedAt', iso_utc(f.generated_at)))
        from findings f where f.parcel_id = p.id
      ), '[]') as findings,
      coalesce((
        select jsonb_agg(jsonb_build_object('at', iso_utc(at), 'action', action, 'cause', cause, 'causeId', cause_id)
          || case when changes ? 'owner_name' then jsonb_build_object('ownerName', changes -> 'owner_name') else '{}' end
          || case when changes ? 'assessed_value' then jsonb_build_object('assessedValue', changes -> 'assessed_value') else '{}' end
          order by version desc)
        from (
          select * from parcel_changes log
          where log.parcel_id = p.id and log.at > now() - interval '2 years' order by version desc limit ${CHANGES_READ}
        ) log
      ), '[]') as changes
    from parcels p
    where p.source = ${source} and p.source_parcel_id = any(${[...sourceParcelIds]})
    order by p.source_parcel_id for no key update`
  return new Map(rows.map((row) => [row.sourceParcelId, row]))
}
