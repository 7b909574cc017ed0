import { type Static, Type } from '@sinclair/typebox'
import { SCRAPE_TEXT } from '../core/bounds'

/**
 * The result of one scrape. Money is in whole dollars, areas and rates have their unit in the name, and dates are `YYYY-MM-DD`. A field
 * that the portal does not show is absent; nothing is guessed.
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
    billed: dollars('Tax billed', 4_210),
    paid: dollars('Tax paid', 4_210),
    due: dollars('Tax still due', 0),
    due_on: date('When the tax is due'),
    paid_on: date('When the tax was paid'),
    status: Type.Optional(
      Type.Union(
        ['paid', 'unpaid', 'partial', 'delinquent'].map((value) => Type.Literal(value)),
        { description: 'Payment status.', examples: ['paid'] },
      ),
    ),
  },
  named('TaxStatement', 'The tax of one year.'),
)

export const valuation = Type.Object(
  {
    year: year('Valuation year.'),
    land: dollars('Value of the land', 120_000),
    improvement: dollars('Value of the buildings', 230_000),
    total: dollars('Value of land and buildings', 350_000),
    assessed: dollars('Assessed value', 350_000),
    taxable: dollars('Taxable value', 325_000),
  },
  named('Valuation', "A parcel's value in one year."),
)

export const sale = Type.Object(
  {
    sold_on: date('When the parcel was sold'),
    price: dollars('Price', 310_000),
    deed_type: text('Type of deed.', 'WARRANTY DEED'),
    grantor: text('Seller.', 'HOLLIS DANIEL'),
    grantee: text('Buyer.', 'MARLOWE ROSE'),
    document_number: text('Number of the recorded document.', '2019-0042'),
    book: text('Book in which the document is recorded.', '1204'),
    page: text('Page on which the document is recorded.', '88'),
    document_url: Type.Optional(
      Type.String({
        pattern: '^https?://',
        maxLength: SCRAPE_TEXT.document_url,
        description: 'Address of the recorded document, where the portal has a link to it.',
        examples: ['https://recorder.larkspur.example/documents/2019-0042'],
      }),
    ),
  },
  named('Sale', 'A recorded sale.'),
)

export const exemption = Type.Object(
  {
    code: text('Code of the exemption.', 'HS'),
    description: text('What the exemption is for.', 'HOMESTEAD'),
    amount: dollars('Exempt amount', 25_000),
    year: Type.Optional(year('Tax year of the exemption.')),
  },
  named('Exemption', 'A tax exemption.'),
)

export const improvement = Type.Object(
  {
    number: text('Number of the building on the parcel.', '1'),
    type: text('Type of building.', 'DWELLING'),
    description: text("The portal's description.", 'TWO STORY DWELLING'),
    year_built: Type.Optional(year('Year built.')),
    living_area_sq_ft: amount('Living area in square feet.', 1_840),
    bedrooms: amount('Number of bedrooms.', 3),
    bathrooms: amount('Number of bathrooms.', 2.5),
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
      description: 'Parcel number, as the portal writes it.',
      examples: ['12-0345-0670'],
    }),
    owner_name: text('Owner, as the portal writes it.', 'MARLOWE ROSE'),
    owners: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, description: 'Name of the owner.', examples: ['MARLOWE ROSE'] }),
            ownership_pct: Type.Optional(
              Type.Number({ minimum: 0, maximum: 100, description: 'Ownership share in percent.', examples: [100] }),
            ),
            type: text('Type of ownership.', 'FEE SIMPLE'),
          },
          named('Owner', 'One of the owners.'),
        ),
        { description: 'All owners.' },
      ),
    ),
    statements: Type.Optional(
      Type.Array(statement, {
        description: 'Tax statements, newest first: one a year, or one for each numbered bill.',
      }),
    ),
    valuation_history: Type.Optional(Type.Array(valuation, { description: 'Valuations, one a year, newest first.' })),
    sale_history: Type.Optional(Type.Array(sale, { description: 'Recorded sales, newest first.' })),
    exemptions: Type.Optional(Type.Array(exemption, { description: 'Tax exemptions.' })),
    improvements: Type.Optional(Type.Array(improvement, { description: 'Buildings.' })),
    fetched_at: timestamp('Time of the scrape: ISO 8601, UTC, always three decimals.'),
    data_as_of: Type.Optional(
      Type.String({
        pattern: '^\\d{4}(-\\d{2}-\\d{2})?$',
        description: "How current the portal's data is: a year or an ISO date.",
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
            severity: Type.String({ description: 'Severity of the finding.', examples: ['low'] }),
            category: Type.String({ description: 'Subject of the finding.', examples: ['ownership'] }),
            evidence: Type.Unknown({
              description: 'The values that led to the finding.',
              examples: [{ was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE' }],
            }),
            suggested_action: Type.Optional(
              Type.String({ description: 'Suggested action.', examples: ['Check the deed of the transfer.'] }),
            ),
          },
          { component: 'ScrapeFinding', description: 'A finding of the review engine about one scrape.' },
        ),
        { description: 'Findings of the review engine when this scrape was stored.' },
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
