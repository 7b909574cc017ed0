import { type Static, Type } from '@sinclair/typebox'

/**
 * What one scrape found (api-spec, Scrape). Money is whole dollars, areas and rates carry their unit in the name, dates are
 * `YYYY-MM-DD`. A field that the portal does not show is absent; nothing is guessed. The contract leaves the fields inside
 * entries open: these are the ones that portals show.
 */

const timestamp = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description,
    examples: ['2026-01-02T03:04:05.678Z'],
  })
const text = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))
const dollars = (description: string, example: number) =>
  Type.Optional(Type.Integer({ description: `${description}, in whole dollars.`, examples: [example] }))
const year = (description: string) => Type.Integer({ minimum: 1600, maximum: 2200, description, examples: [2025] })
const date = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: `${description} (YYYY-MM-DD).`,
      examples: ['2026-01-02'],
    }),
  )
const amount = (description: string, example: number) =>
  Type.Optional(Type.Number({ minimum: 0, description, examples: [example] }))
/** Closed; `component` is its name in the OpenAPI document. */
const named = (component: string, description: string) =>
  ({ additionalProperties: false, component, description }) as const

export const statement = Type.Object(
  {
    tax_year: year('Tax year of the statement.'),
    bill_number: text('Number of the bill.', '2025-004711'),
    billed: dollars('Tax that was billed', 4_210),
    paid: dollars('Tax that is paid', 4_210),
    due: dollars('Tax that is still due', 0),
    due_on: date('When it is due'),
    paid_on: date('When it was paid'),
    status: Type.Optional(
      Type.Union(
        ['paid', 'unpaid', 'partial', 'delinquent'].map((value) => Type.Literal(value)),
        { description: 'How far it is paid.', examples: ['paid'] },
      ),
    ),
  },
  named('TaxStatement', 'The tax of one year.'),
)

export const valuation = Type.Object(
  {
    year: year('Year of the valuation.'),
    land: dollars('Value of the land', 120_000),
    improvement: dollars('Value of the buildings', 230_000),
    total: dollars('Value of land and buildings', 350_000),
    assessed: dollars('Assessed value', 350_000),
    taxable: dollars('Taxable value', 325_000),
  },
  named('Valuation', 'What a parcel was worth in one year.'),
)

export const sale = Type.Object(
  {
    sold_on: date('When it was sold'),
    price: dollars('Price', 310_000),
    deed_type: text('Kind of the deed.', 'WARRANTY DEED'),
    grantor: text('Who sold it.', 'HOLLIS DANIEL'),
    grantee: text('Who bought it.', 'MARLOWE ROSE'),
    document_number: text('Number of the recorded document.', '2019-0042'),
    book: text('Book of the record.', '1204'),
    page: text('Page of the record.', '88'),
  },
  named('Sale', 'A recorded sale.'),
)

export const exemption = Type.Object(
  {
    code: text('Code of the exemption.', 'HS'),
    description: text('What it is for.', 'HOMESTEAD'),
    amount: dollars('How much is exempt', 25_000),
    year: Type.Optional(year('Year that it counts for.')),
  },
  named('Exemption', 'A tax exemption.'),
)

export const improvement = Type.Object(
  {
    number: text('Number of the building on the parcel.', '1'),
    type: text('Kind of building.', 'DWELLING'),
    description: text('What the portal says of it.', 'TWO STORY DWELLING'),
    year_built: Type.Optional(year('When it was built.')),
    living_area_sq_ft: amount('Living area in square feet.', 1_840),
    bedrooms: amount('How many bedrooms.', 3),
    bathrooms: amount('How many bathrooms.', 2.5),
    value: dollars('Value of the building', 230_000),
  },
  named('Improvement', 'A building on the parcel.'),
)

export const DATA_AS_OF_SOURCES = [
  'header',
  'page-marker',
  'feature-server',
  'latest-tax-year',
  'page-footer',
  'etag',
] as const

export const dataAsOfSource = Type.Union(
  DATA_AS_OF_SOURCES.map((value) => Type.Literal(value)),
  { description: 'What `data_as_of` was read from.', examples: ['page-marker'] },
)

export const scrape = Type.Object(
  {
    parcel_number: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Number of the parcel, as the portal writes it.',
      examples: ['12-0345-0670'],
    }),
    owner_name: text('The owner, as the portal names it.', 'MARLOWE ROSE'),
    owners: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, description: 'Name of the owner.', examples: ['MARLOWE ROSE'] }),
            ownership_pct: Type.Optional(
              Type.Number({ minimum: 0, maximum: 100, description: 'Share in percent.', examples: [100] }),
            ),
            type: text('Kind of ownership.', 'FEE SIMPLE'),
          },
          named('Owner', 'One of the owners.'),
        ),
        { description: 'All owners.' },
      ),
    ),
    statements: Type.Optional(Type.Array(statement, { description: 'Tax statements, one a year, newest first.' })),
    valuation_history: Type.Optional(Type.Array(valuation, { description: 'Valuations, one a year, newest first.' })),
    sale_history: Type.Optional(Type.Array(sale, { description: 'Recorded sales, newest first.' })),
    exemptions: Type.Optional(Type.Array(exemption, { description: 'Tax exemptions.' })),
    improvements: Type.Optional(Type.Array(improvement, { description: 'Buildings.' })),
    fetched_at: timestamp('When the scrape ran: ISO 8601, UTC, always three decimals.'),
    data_as_of: Type.Optional(
      Type.String({
        pattern: '^\\d{4}(-\\d{2}-\\d{2})?$',
        description: 'How current the data of the portal is: a year or an ISO date.',
        examples: ['2026'],
      }),
    ),
    data_as_of_source: Type.Optional(dataAsOfSource),
    http_etag: text('ETag of the page.', '"5f2a"'),
    http_last_modified: text('Last-Modified of the page.', 'Fri, 02 Jan 2026 03:04:05 GMT'),
    sale_history_observed_at: Type.Optional(timestamp('When the sales were last read.')),
    review_findings: Type.Optional(
      Type.Array(
        Type.Object(
          {
            severity: Type.String({ description: 'How much it matters.', examples: ['low'] }),
            category: Type.String({ description: 'What it is about.', examples: ['ownership'] }),
            evidence: Type.Unknown({
              description: 'What was seen.',
              examples: [{ was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE' }],
            }),
            suggested_action: Type.Optional(
              Type.String({ description: 'What to do about it.', examples: ['Check the deed of the transfer.'] }),
            ),
          },
          { component: 'ScrapeFinding', description: 'What the review engine noticed in one scrape.' },
        ),
        { description: 'What the review engine noticed when this scrape was stored.' },
      ),
    ),
  },
  named('Scrape', 'What one scrape found. A field that the portal does not show is absent.'),
)

export type Scrape = Static<typeof scrape>
export type Statement = Static<typeof statement>
export type Valuation = Static<typeof valuation>
export type Sale = Static<typeof sale>
export type Exemption = Static<typeof exemption>
export type Improvement = Static<typeof improvement>
