import type { MultiPolygon } from 'geojson'
import { parcelFields, type StoredValues } from '../../../core/parcel-fields'
import type { Transaction } from '../../../core/postgres/database'
import type { Cadence } from '../../schema/source-refresh-policies'
import { selectValues } from './field-columns'
import type { FindingInput } from './store-findings'

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

/** A stored parcel, with everything else that a review of it needs. */
export interface StoredParcel extends StoredValues {
  id: string
  sourceParcelId: string
  geom: MultiPolygon | null
  /** `{}` before the first scrape. */
  scrapeData: Record<string, unknown>
  /** As written by src/scrape/store/scrape-origins.ts. */
  scrapeOrigins: unknown
  /** The last crawl that found it; null before the first. */
  crawlId: string | null
  findings: StandingFindingRow[]
  state: string
  cadence: Cadence
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
      p.scrape_data as "scrapeData",
      p.scrape_origins as "scrapeOrigins", p.crawl_id as "crawlId",
      coalesce((
        select jsonb_agg(jsonb_build_object('rule', f.rule, 'subject', f.subject, 'severity', f.severity,
          'evidence', f.evidence, 'generatedAt', iso_utc(f.generated_at)))
        from findings f where f.parcel_id = p.id
      ), '[]') as findings,
      s.state, coalesce(policy.cadence, 'annual') as cadence
    from parcels p join sources s using (source) left join source_refresh_policies policy using (source)
    where p.source = ${source} and p.source_parcel_id = any(${[...sourceParcelIds]})
    order by p.source_parcel_id for no key update of p`
  return new Map(rows.map((row) => [row.sourceParcelId, row]))
}
