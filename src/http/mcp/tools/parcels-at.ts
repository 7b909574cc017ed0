import { LISTED_PARCELS } from '../../../../core/parcels/filter'
import { countNoun } from '../../../../core/text/count-noun'
import { describeShort, readListed, SHORT_FIELDS } from '../describe-parcel'
import { closedInput, lat, lon } from '../schemas'
import { defineTool } from '../tool'

/** Condominiums can have hundreds of lots at one place. */
const MAX_AT = 50

export const parcelsAtTool = defineTool({
  name: 'parcels_at',
  title: 'Get the parcels at a point',
  description:
    'Returns the parcels whose boundary contains a point, the smallest first. There are several where lots are stacked, as in condominiums, and on a common border. For an address use search.',
  needs: 'read',
  input: closedInput({ lon, lat }),
  call: async ({ lon, lat }, { deps: { parcelLists, baseUrl }, caller }) => {
    const { parcels, next } = await parcelLists.findAt(
      { at: { lon, lat }, filter: LISTED_PARCELS, after: null, limit: MAX_AT, fields: SHORT_FIELDS, geometry: 'none' },
      caller,
    )
    if (parcels.length === 0) {
      return { lines: [`No parcel at ${lon}, ${lat}. Try parcels_in_area with a small box around it, or coverage.`] }
    }
    return {
      lines: [
        `${countNoun(parcels.length, 'parcel')} at ${lon}, ${lat}.`,
        ...(next === null ? [] : [`There are more; these are the ${MAX_AT} smallest.`]),
      ],
      records: parcels.map((parcel) => describeShort(readListed(parcel), baseUrl)),
    }
  },
})
