import { Type } from '@sinclair/typebox'
import { countNoun } from '../../../../core/text/count-noun'
import { enqueueScrapes } from '../../../orders/enqueue-scrapes'
import { closedInput, parcelId, source } from '../schemas'
import { defineTool } from '../tool'

/** Larger orders are for programs. */
const MAX_ORDERED = 100

export const orderScrapeTool = defineTool({
  name: 'order_scrape',
  title: 'Request fresh data for parcels',
  description:
    'Queues scrapes of parcels at their county portals. Needs a key with the capability enqueue. A parcel that is queued already keeps its job. The data changes seconds to minutes later: then call parcel, or changes.',
  needs: 'enqueue',
  input: closedInput({
    parcels: Type.Array(Type.Object({ source, source_parcel_id: parcelId }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: MAX_ORDERED,
      description: 'The parcels to scrape.',
    }),
  }),
  call: async ({ parcels }, { deps: { sql, baseUrl }, requester }) => {
    const orders = parcels.map(({ source, source_parcel_id }) => ({ source, sourceParcelId: source_parcel_id }))
    const jobs = await sql.begin((tx) => enqueueScrapes(tx, orders, requester))
    return {
      lines: [`${countNoun(jobs.length, 'scrape')} queued.`],
      records: jobs.map(({ id, source, sourceParcelId }) => ({
        job: id,
        source,
        source_parcel_id: sourceParcelId,
        status: `${baseUrl}/v1/scrape-jobs/${id}`,
      })),
    }
  },
})
