import { LISTED_PARCELS } from '../../../../../core/parcel-filter'
import { countOf } from '../answer'
import { describeShort } from '../describe-parcel'
import { listParcelsLike } from '../list-parcels-like'
import { closedInput, lat, lon } from '../schemas'
import { defineTool } from '../tool'

/** Condominiums can have hundreds of lots at one place. */
const MAX_AT = 50

export const parcelsAtTool = defineTool({
  name: 'parcels_at',
  title: 'Get the parcels at a point',
  description:
    'Returns the parcels whose boundary holds a point, the smallest first. There are several where lots are stacked, as in condominiums, and on a common border. For an address use search.',
  needs: 'read',
  input: closedInput({ lon, lat }),
  call: async ({ lon, lat }, context) => {
    const filter = { ...LISTED_PARCELS, bbox: [lon, lat, lon, lat] as [number, number, number, number] }
    const { parcels, next } = await listParcelsLike(filter, { limit: MAX_AT }, context)
    if (parcels.length === 0) {
      return { lines: [`No parcel at ${lon}, ${lat}. Try parcels_in_area with a small box around it, or coverage.`] }
    }
    const smallestFirst = parcels.toSorted((one, other) => (one.acreage ?? Infinity) - (other.acreage ?? Infinity))
    return {
      lines: [
        `${countOf(parcels.length, 'parcel')} at ${lon}, ${lat}.`,
        ...(next === null ? [] : [`There are more than ${MAX_AT}; these are the first by id.`]),
      ],
      records: smallestFirst.map((parcel) => describeShort(parcel, context.deps.baseUrl)),
    }
  },
})
