import { Type } from '@sinclair/typebox'
import { GRADES, gradeIn } from '../../../../adapters/adapter'
import { redactUrl } from '../../../../adapters/http/redact-url'
import { findAdapter } from '../../../../adapters/registry'
import { SOURCE_TEXT } from '../../../../core/bounds'
import { DEFAULT_LOAD_LIMITS, type LoadLimits } from '../../../../core/sources/load-limits'
import { CADENCES } from '../../../../drizzle/schema/values'
import { STATE_CODES } from '../../../../search/query/states'
import {
  at,
  atOrNull,
  closed,
  nullable,
  oneOf,
  PAGE_HASH,
  sourceSlug,
  textOf,
  textOrNull,
  vendorName,
} from '../../schemas'

export const cadence = oneOf(CADENCES, { description: 'Refresh interval.', examples: ['annual'] })

export const countyFields = {
  source: sourceSlug,
  state: textOf('State of the county (2-letter code).', 'OR'),
  county_name: textOf('Name of the county.', 'Larkspur'),
  vendor: textOf('The adapter that scrapes it; `file` if its parcels come from files.', 'arcgis-rest'),
}

export const active = Type.Boolean({ description: 'Whether the scheduler may scrape it.', examples: [true] })
export const nextDueAt = at('Due time of the next refresh.')

export const agriculturalOnly = Type.Boolean({
  description: 'Whether only agricultural parcels are refreshed.',
  examples: [false],
})

/** A text that an operator writes; null: unknown. */
const ownTextOrNull = (maxLength: number, description: string, example: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength, examples: [example] }), Type.Null()], {
    takes: `null or a text of 1 to ${maxLength} characters`,
    description,
    examples: [example],
  })
export const license = ownTextOrNull(
  SOURCE_TEXT.license,
  'License of the data, preferably as an SPDX id; null if unknown. Exports name it.',
  'CC-BY-4.0',
)
export const attribution = ownTextOrNull(
  SOURCE_TEXT.attribution,
  'Whom to credit for the data; null if unknown. Exports name it.',
  'Larkspur County Assessor',
)

export const sourceFields = {
  ...countyFields,
  base_url: textOf(
    'URL of the portal. With the vendor `file`, the URL of the file; empty if files are loaded by hand. Only admins see tokens in it.',
    'https://gis.larkspur.example/arcgis/rest/services/parcels/FeatureServer/0',
  ),
  active,
  cadence,
  next_due_at: nextDueAt,
  last_full_scrape_at: atOrNull(
    'Time of the last complete refresh: a crawl, a refresh of all parcels, or a complete file. Null if there was none.',
  ),
  last_known_data_as_of: textOrNull('How current its data is, often a year; null if unknown.', '2026'),
  license,
  attribution,
  proved_at: atOrNull('When an admin compared a parcel with the portal and proved the source; null if nobody did.'),
  retired_at: atOrNull('When an admin retired the source; null if it is not retired.'),
}

/** The fields that an admin sets for a source. */
export const ownFields = {
  vendor: vendorName,
  base_url: Type.String({
    maxLength: SOURCE_TEXT.base_url,
    description: 'URL of the portal (http or https). With the vendor `file`, the https URL of the file, or empty.',
    examples: ['https://gis.larkspur.example/arcgis/rest/services/parcels/FeatureServer/0'],
  }),
  state: oneOf([...STATE_CODES], {
    takes: 'the 2-letter code of a US state, DC or a territory',
    description: 'State of the county.',
    examples: ['OR'],
  }),
  county_name: Type.String({
    minLength: 1,
    maxLength: SOURCE_TEXT.county_name,
    pattern: '^\\S(.*\\S)?$',
    takes: `a text of 1 to ${SOURCE_TEXT.county_name} characters without leading or trailing spaces`,
    description: 'Name of the county.',
    examples: ['Larkspur'],
  }),
}

export const vendorConfig = (description: string) =>
  Type.Object({}, { additionalProperties: true, description, examples: [{ columns: { parcel_id: 'PIN' } }] })

export const reading = Type.String({
  pattern: '^[0-9a-f]{64}$',
  takes: 'the `reading` of a dry run',
  description: 'A hash of what a dry run read.',
  examples: [PAGE_HASH],
})

const limitOf = (name: keyof LoadLimits, what: string) =>
  nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: `Largest share of the source's parcels that ${what}; null: the default, ${DEFAULT_LOAD_LIMITS[name]}.`,
      examples: [DEFAULT_LOAD_LIMITS[name] * 2],
    }),
  )

export const loadLimits = Type.Partial(
  Type.Object({
    retired: limitOf('retired', 'a load may retire'),
    emptied: limitOf('emptied', 'may lose the value of one field'),
    owner: limitOf('owner', 'may get another owner'),
  }),
  {
    ...closed,
    component: 'LoadLimits',
    description:
      'Only for admins: a load that changes more than these limits allow is held. The limit 1 never holds a load. In a request, omitted limits keep their values.',
    examples: [{ retired: 0.1 }],
  },
)

export const vendorGrade = Type.Union([
  oneOf(GRADES, {
    description:
      "How well the vendor's pages in this state are known: `A` from whole pages, `B` from excerpts or several projects, `C` from one project; null if the vendor has no adapter.",
    examples: ['B'],
  }),
  Type.Null(),
])

/** A source as JSON text, with its `vendor_grade`. */
export const withGrade = ({ vendor, state, body }: { vendor: string; state: string; body: string }): string => {
  const adapter = findAdapter(vendor)
  const grade = adapter === null ? null : gradeIn(adapter, state)
  return `${body.slice(0, -1)},"vendor_grade":${JSON.stringify(grade)}}`
}

/** A `base_url` that may contain a token, in JSON text. A quote inside a text is escaped, so no other value looks like it. */
const BASE_URL = /"base_url":("(?:[^"\\?#;(]|\\.)*[?#;(](?:[^"\\]|\\.)*")/

/** For callers who are not admins: a source as JSON text, whose URL has no token, as some portals of files need. */
export const withoutTokens = (body: string): string =>
  body.replace(BASE_URL, (_, url: string) => `"base_url":${JSON.stringify(redactUrl(JSON.parse(url)))}`)

export const source = Type.Object(
  { ...sourceFields, vendor_grade: vendorGrade },
  { ...closed, component: 'Source', description: 'A county portal.' },
)
