import { Type } from '@sinclair/typebox'
import { listCountyNames } from '../../../../core/sources/county-names'
import { countNoun } from '../../../../core/text/count-noun'
import { readCoverage } from '../../../coverage/read-coverage'
import { parseState } from '../../convention/parameters/parse-state'
import { closedInput, limit, source, state } from '../schemas'
import { defineTool } from '../tool'

export const coverageTool = defineTool({
  name: 'coverage',
  title: 'List the available counties',
  description:
    'Returns the sources (one per county portal) with their number of parcels and how current they are, those with most parcels first. Use it to learn the slugs of sources, and whether a county is covered at all.',
  needs: 'read',
  input: closedInput({
    state: Type.Optional(state),
    county: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Name of the county, in upper or lower case, with or without "County".',
      }),
    ),
    source: Type.Optional(source),
    limit: Type.Optional(limit(100, 20)),
  }),
  call: async (input, { deps: { reads, latency, baseUrl }, caller }) => {
    const { sources } = await readCoverage(reads, caller, latency)
    const wantedState = parseState(input.state)
    const names = input.county === undefined ? null : listCountyNames(input.county)
    const found = sources
      .filter(({ state }) => wantedState === null || state === wantedState)
      .filter(({ county_name }) => names === null || names.includes(county_name.toLowerCase()))
      .filter((one) => input.source === undefined || one.source === input.source)
      .sort((one, other) => other.parcels - one.parcels)
    const shown = found.slice(0, input.limit ?? 20)
    const parcels = found.reduce((sum, one) => sum + one.parcels, 0)
    return {
      lines: [
        `${countNoun(found.length, 'source')} with ${countNoun(parcels, 'parcel')}.`,
        ...(shown.length < found.length
          ? [`${found.length - shown.length} more: narrow by state, county or source.`]
          : []),
        `Map and figures: ${baseUrl}/app/coverage`,
      ],
      records: shown.map(({ source, state, county_name, status, parcels, data_as_of, last_refresh_at, bbox }) => ({
        source,
        state,
        county: county_name,
        status,
        parcels,
        data_as_of,
        last_refresh_at,
        box_west_south_east_north: bbox,
      })),
    }
  },
})
