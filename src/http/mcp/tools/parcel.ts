import { Type } from '@sinclair/typebox'
import type { Scrape } from '../../../../adapters/scrape'
import { bboxOf } from '../../../../core/geometry/bbox'
import { countNoun } from '../../../../core/text/count-noun'
import { findFormerParcel } from '../../../../drizzle/queries/changes/find-former-parcel'
import { listFindings } from '../../../../drizzle/queries/findings/findings'
import { findParcelJson } from '../../../../drizzle/queries/parcels/parcels'
import { HttpError } from '../../convention/errors'
import { parseTime } from '../../convention/parameters/parse-time'
import { quote } from '../answer'
import { pageOf } from '../describe-parcel'
import { closedInput, parcelId, source, time } from '../schemas'
import { defineTool } from '../tool'

/** The latest entries of each list of scraped data. */
const MAX_ENTRIES = 3

export const parcelTool = defineTool({
  name: 'parcel',
  title: 'Get one parcel',
  description:
    'Returns all fields of one parcel, the latest taxes, values and sales of its last scrape, and how many findings the review has. With as_of, the record as the service knew it then. Of the boundary, only its box: list its neighbors with parcels_in_area. The field "api" has the URL of the full record.',
  needs: 'read',
  input: closedInput({
    source,
    source_parcel_id: parcelId,
    as_of: Type.Optional(time('The record as it was known then.')),
  }),
  call: async ({ source, source_parcel_id, as_of }, { deps: { reads, baseUrl }, caller }) => {
    const key = { source, id: source_parcel_id }
    const asOf = as_of === undefined ? null : parseTime('as_of', as_of)
    const former = asOf === null ? null : await reads.run(caller, (db) => findFormerParcel(db, key, asOf))
    const body = asOf === null ? await reads.run(caller, (db) => findParcelJson(db, key)) : (former?.body ?? null)
    if (body === null) {
      const known = former === null ? '' : ` It was first known at ${former.firstKnownAt}.`
      throw new HttpError(404, `No parcel ${quote(source_parcel_id)} in ${source}.${known} Try search with the id.`)
    }
    const findings =
      asOf === null ? await reads.run(caller, (db) => listFindings(db, key, { limit: 500, dismissed: 'false' })) : null
    const record = JSON.parse(body)
    return {
      lines: [
        `Parcel ${quote(source_parcel_id)} of ${source}${asOf === null ? '' : ` as known at ${asOf}`}.`,
        ...(asOf !== null || Object.keys(record.scrape_data).length > 0
          ? []
          : ['It was never scraped: its taxes, former values and sales are unknown. order_scrape requests them.']),
        ...(record.retired_at === null ? [] : [`Its source no longer lists it, since ${record.retired_at}.`]),
        ...(findings === null || findings.length === 0
          ? []
          : [
              `The review has ${countNoun(findings.length, 'finding')}: ${baseUrl}/v1/findings/${source}/${encodeURIComponent(source_parcel_id)}`,
            ]),
      ],
      records: [describe(record, baseUrl)],
    }
  },
})

// biome-ignore lint/suspicious/noExplicitAny: the record of the API, as the database wrote it
const describe = (record: any, baseUrl: string): object => {
  const { id, geom_geojson, scrape_data, scraped_by, scrape_data_as_of_source, ...fields } = record
  const { acreage, assessed_value, value_land, value_improvement, scrape_data_as_of, ...others } = fields
  const { statements, valuation_history, sale_history, exemptions, improvements } = scrape_data as Partial<Scrape>
  const latest = <Entry>(entries: readonly Entry[] | undefined): readonly Entry[] =>
    entries?.slice(0, MAX_ENTRIES) ?? []
  return {
    ...others,
    area_acres: acreage,
    assessed_value_usd: assessed_value,
    value_land_usd: value_land,
    value_improvement_usd: value_improvement,
    has_boundary: geom_geojson !== null,
    box_west_south_east_north: geom_geojson === null ? null : bboxOf(geom_geojson),
    data_as_of: scrape_data_as_of,
    latest_taxes_usd: latest(statements),
    latest_values_usd: latest(valuation_history),
    latest_sales_usd: latest(sale_history),
    exemptions: latest(exemptions),
    buildings: latest(improvements),
    page: pageOf(baseUrl, record.source, record.source_parcel_id),
    api: `${baseUrl}/v1/parcels/${record.source}/${encodeURIComponent(record.source_parcel_id)}`,
  }
}
