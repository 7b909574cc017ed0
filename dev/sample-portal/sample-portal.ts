import type { Sql } from '../../core/postgres/database'
import { findSampleParcel, SAMPLE_SOURCE } from '../sample-county/county'
import { sampleHistory } from '../sample-county/history'
import { type Portal, startPortal } from './portal'

/**
 * Starts the sample county's portal on this machine, so that its parcels can be scraped without the internet, and points the source
 * at its port.
 */
export const startSamplePortal = async (sql: Sql): Promise<Portal> => {
  const portal = startPortal({
    findRecord: (number) => {
      const parcel = findSampleParcel(number)
      if (parcel === null) return null
      const { updatedOn, ...history } = sampleHistory(parcel, new Date())
      const { sourceParcelId, bbox: _, ...fields } = parcel
      return { number: sourceParcelId, fields, history, updatedOn }
    },
  })
  await sql`update sources set base_url = ${portal.baseUrl}, updated_at = now() where source = ${SAMPLE_SOURCE.source}`
  return portal
}
