import { type Static, Type } from '@sinclair/typebox'

/**
 * What one scrape found (api-spec, Scrape). Money is whole dollars, areas and rates carry their unit in the name, dates are
 * `YYYY-MM-DD`. A field that the portal does not show is absent; nothing is guessed. The contract leaves the fields inside
 * entries open: these are the ones that portals show.
 */

const timestamp = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'ISO 8601, UTC, always three decimals.',
  examples: ['2026-01-02T03:04:05.678Z'],
})
const text = (example: string) => Type.Optional(Type.String({ minLength: 1, examples: [example] }))
const dollars = Type.Optional(Type.Integer({ description: 'Whole dollars.' }))
const year = Type.Integer({ minimum: 1600, maximum: 2200 })
const date = Type.Optional(
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD.', examples: ['2026-01-02'] }),
)
const closed = { additionalProperties: false } as const

export const statement = Type.Object(
  {
    tax_year: year,
    bill_number: text('2025-004711'),
    billed: dollars,
    paid: dollars,
    due: dollars,
    due_on: date,
    paid_on: date,
    status: Type.Optional(Type.Union(['paid', 'unpaid', 'partial', 'delinquent'].map((value) => Type.Literal(value)))),
  },
  closed,
)

export const valuation = Type.Object(
  { year, land: dollars, improvement: dollars, total: dollars, assessed: dollars, taxable: dollars },
  closed,
)

export const sale = Type.Object(
  {
    sold_on: date,
    price: dollars,
    deed_type: text('WARRANTY DEED'),
    grantor: text('HOLLIS DANIEL'),
    grantee: text('MARLOWE ROSE'),
    document_number: text('2019-0042'),
    book: text('1204'),
    page: text('88'),
  },
  closed,
)

export const exemption = Type.Object(
  { code: text('HS'), description: text('HOMESTEAD'), amount: dollars, year: Type.Optional(year) },
  closed,
)

export const improvement = Type.Object(
  {
    number: text('1'),
    type: text('DWELLING'),
    description: text('TWO STORY DWELLING'),
    year_built: Type.Optional(year),
    living_area_sq_ft: Type.Optional(Type.Number({ minimum: 0 })),
    bedrooms: Type.Optional(Type.Number({ minimum: 0 })),
    bathrooms: Type.Optional(Type.Number({ minimum: 0 })),
    value: dollars,
  },
  closed,
)

export const DATA_AS_OF_SOURCES = [
  'header',
  'page-marker',
  'feature-server',
  'latest-tax-year',
  'page-footer',
  'etag',
] as const

export const scrape = Type.Object(
  {
    parcel_number: Type.String({ minLength: 1, maxLength: 256, examples: ['12-0345-0670'] }),
    owner_name: text('MARLOWE ROSE'),
    owners: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, examples: ['MARLOWE ROSE'] }),
            ownership_pct: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
            type: text('FEE SIMPLE'),
          },
          closed,
        ),
      ),
    ),
    statements: Type.Optional(Type.Array(statement, { description: 'Tax statements, one a year, newest first.' })),
    valuation_history: Type.Optional(Type.Array(valuation, { description: 'Valuations, one a year, newest first.' })),
    sale_history: Type.Optional(Type.Array(sale, { description: 'Recorded sales, newest first.' })),
    exemptions: Type.Optional(Type.Array(exemption)),
    improvements: Type.Optional(Type.Array(improvement, { description: 'Buildings.' })),
    fetched_at: timestamp,
    data_as_of: Type.Optional(
      Type.String({ pattern: '^\\d{4}(-\\d{2}-\\d{2})?$', description: 'A year or an ISO date.', examples: ['2026'] }),
    ),
    data_as_of_source: Type.Optional(Type.Union(DATA_AS_OF_SOURCES.map((value) => Type.Literal(value)))),
    http_etag: text('"5f2a"'),
    http_last_modified: text('Fri, 02 Jan 2026 03:04:05 GMT'),
    sale_history_observed_at: Type.Optional(timestamp),
    review_findings: Type.Optional(
      Type.Array(
        Type.Object({
          severity: Type.String({ examples: ['low'] }),
          category: Type.String({ examples: ['ownership'] }),
          evidence: Type.Unknown({ examples: [{ was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE' }] }),
          suggested_action: Type.Optional(Type.String({ examples: ['Check the deed of the transfer.'] })),
        }),
        { description: 'What the review engine noticed when this scrape was stored.' },
      ),
    ),
  },
  closed,
)

export type Scrape = Static<typeof scrape>
export type Statement = Static<typeof statement>
export type Valuation = Static<typeof valuation>
export type Sale = Static<typeof sale>
export type Exemption = Static<typeof exemption>
export type Improvement = Static<typeof improvement>
