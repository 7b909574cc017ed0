import { Type } from '@sinclair/typebox'
import { LISTED_PARCELS } from '../../../../core/parcels/filter'
import { countNoun } from '../../../../core/text/count-noun'
import { HttpError } from '../../convention/errors'
import { parseState } from '../../convention/parameters/parse-state'
import { quote } from '../answer'
import { describeShort } from '../describe-parcel'
import { countParcelsLike, listParcelsLike, writeValue } from '../list-parcels-like'
import { after, closedInput, limit, owner, source, state } from '../schemas'
import { defineTool } from '../tool'

export const ownersParcelsTool = defineTool({
  name: 'owners_parcels',
  title: "List an owner's parcels",
  description:
    'Returns the parcels of one owner in all counties, with their number and total value. The name must be whole, as search shows it. Other words or another order of words are another owner.',
  needs: 'read',
  input: closedInput({
    owner,
    state: Type.Optional(state),
    source: Type.Optional(source),
    limit: Type.Optional(limit(100, 20)),
    after: Type.Optional(after),
  }),
  call: async (input, context) => {
    if (!/[\p{L}\p{N}]/u.test(input.owner)) throw new HttpError(400, 'owner must have a letter or digit')
    const filter = {
      ...LISTED_PARCELS,
      owner: input.owner,
      state: parseState(input.state),
      source: input.source ?? null,
    }
    const after = input.after ?? null
    const page = await listParcelsLike({ filter, area: null }, { limit: input.limit ?? 20, after }, context)
    if (page.parcels.length === 0) return { lines: [sayNone(input)] }
    const isWhole = after === null && page.next === null
    const { parcels, total, isExact } = isWhole
      ? { ...page, total: page.parcels.length, isExact: true }
      : await countParcelsLike({ filter, area: null }, context)
    return {
      lines: [
        total > parcels.length
          ? `${isExact ? '' : 'About '}${countNoun(total, 'parcel')} of ${quote(input.owner)}; ${page.parcels.length} shown.`
          : `${countNoun(total, 'parcel')} of ${quote(input.owner)}, together ${writeValue(parcels)}; ${page.parcels.length} shown.`,
        ...(page.next === null
          ? []
          : [`More: narrow by state or source, or call again with after=${quote(page.next)}.`]),
      ],
      records: page.parcels.map((parcel) => describeShort(parcel, context.deps.baseUrl)),
    }
  },
})

const sayNone = ({
  owner,
  state,
  source,
  after,
}: {
  owner: string
  state?: string
  source?: string
  after?: string
}) => {
  const places = [state, source].filter((place) => place !== undefined)
  const none = after === undefined ? 'No parcels' : 'No more parcels'
  return places.length === 0
    ? `${none} of an owner named ${quote(owner)}. Use search to find how the name is written.`
    : `${none} of an owner named ${quote(owner)} in ${places.join(', ')}. Call again without state and source, or use search to find how the name is written.`
}
