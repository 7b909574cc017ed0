import { Type } from '@sinclair/typebox'
import { closed, count, type WorkKind } from './work-kind'

/** A scrape of a whole layer, page by page. The subject is the source. */
export const crawl = {
  name: 'crawl',
  payload: Type.Object(
    {
      base_url: Type.String({
        description: "The portal's URL when the crawl was requested.",
        examples: ['https://gis.example.org/parcels/MapServer/0'],
      }),
      vendor_config: Type.Record(Type.String(), Type.Unknown(), {
        description: "The vendor's settings for the county when the crawl was requested.",
        examples: [{ columns: { parcel_id: 'PIN' } }],
      }),
    },
    { ...closed, title: 'crawl', description: 'The source as it was when the crawl was requested.' },
  ),
  result: Type.Object(
    {
      pages: count('Pages read.', 12),
      inserted: count('New parcels.', 1_100),
      updated: count('Parcels that changed.', 60),
      unchanged: count('Parcels that did not change.', 40),
      rejected: count('Records that were rejected.', 3),
    },
    { ...closed, title: 'crawl' },
  ),
} satisfies WorkKind
