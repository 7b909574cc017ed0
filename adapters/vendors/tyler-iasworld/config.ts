import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const words = Type.String({ minLength: 1, maxLength: 120 })

const tableId = {
  ...words,
  description:
    "The table's id, which is the section's title. The beginning or a part of it is enough if only one table has it.",
  examples: ['Parcel'],
}

const place = Type.Object(
  {
    table: tableId,
    label: Type.Optional({
      ...words,
      description: 'The row heading. If absent, every row of the column.',
      examples: ['Land Use Code'],
    }),
    column: Type.Optional({
      ...words,
      description: 'The column heading, if the table has them.',
      examples: ['100% Values'],
    }),
  },
  { ...closed, minProperties: 2 },
)
const at = (description: string) => Type.Optional({ ...place, description })
const several = (description: string) => Type.Optional(Type.Array(place, { minItems: 1, maxItems: 10, description }))

const heading = Type.Optional(words)
const table = <Headings extends Record<string, typeof heading>>(description: string, key: string, headings: Headings) =>
  Type.Object(
    {
      table: tableId,
      [key]: words,
      ...headings,
      none: Type.Optional({ ...words, description: 'The text that the table shows when it has no entries.' }),
    },
    { ...closed, description: `${description}: the table, and the headings of its columns.` },
  )
/** Values may be in two tables, one for the appraisal and one for the assessment. */
const valuations = table('Values by year', 'year', {
  land: heading,
  improvement: heading,
  total: heading,
  assessed: heading,
  taxable: heading,
})

export const config = Type.Object(
  {
    modes: Type.Array(Type.String({ pattern: '^\\w+$', takes: 'the name of a mode' }), {
      minItems: 1,
      maxItems: 8,
      description: "The datalets to read, by their names in the portal's URLs.",
      examples: [['profileall', 'sales']],
    }),
    jur: Type.Optional(
      Type.String({
        pattern: '^\\w+$',
        takes: 'a number',
        description: "The county's jurisdiction.",
        examples: ['025'],
      }),
    ),
    tax_year: Type.Optional(Type.Integer({ minimum: 1900, maximum: 2200, description: 'Default: the current year.' })),
    pin: Type.Union([Type.Literal('as-is'), Type.Literal('without-dashes'), Type.Literal('digits')], {
      default: 'without-dashes',
      description: 'How URLs write the parcel number. Spaces inside it are kept, except with `digits`.',
    }),
    datalet_path: Type.String({
      minLength: 1,
      default: 'datalets/datalet.aspx',
      description: 'The path of a datalet, relative to base_url.',
      examples: ['_web/datalets/datalet.aspx'],
    }),
    search: Type.Optional(
      Type.Object(
        {
          path: {
            ...words,
            default: 'search/commonsearch.aspx',
            description: 'The path of the search, relative to base_url.',
          },
          mode: {
            ...words,
            default: 'parid',
            description: 'The search mode for parcel numbers, by its name in the URL.',
          },
          field: {
            ...words,
            default: 'inpParid',
            description: "The search form's field for the number.",
          },
        },
        {
          ...closed,
          description:
            'For portals that show a parcel only after a search in the same session. If absent, datalets are requested directly.',
        },
      ),
    ),
    fields: Type.Object(
      {
        owner_names: several('Owners, one per place. Default: the owner in the header.'),
        owner_mailing_address: several('The parts of the address.'),
        situs_address: at('Default: the address in the header.'),
        land_use_class: at('Land use.'),
        zoning_code: at('Zoning.'),
        acreage: at('Acres.'),
        value_land: at('Value of the land.'),
        value_improvement: at('Value of the buildings.'),
        assessed_value: at('Assessed value.'),
        year_built: at('Year in which the main building was built.'),
        living_area_sq_ft: at('Living area of the main building in square feet.'),
      },
      {
        ...closed,
        default: {},
        description: 'Where each value is. Names of sections and labels differ by county.',
      },
    ),
    sales: Type.Optional(
      table('Sales', 'sold_on', {
        price: heading,
        deed_type: heading,
        grantor: heading,
        grantee: heading,
        document_number: heading,
        book: heading,
        page: heading,
      }),
    ),
    valuations: Type.Optional(
      Type.Union([valuations, Type.Array(valuations, { minItems: 1, maxItems: 4 })], {
        description: 'Values by year: a table, or several whose values of a year are combined.',
      }),
    ),
    statements: Type.Optional(
      table('Taxes by year; the rows of a year are added', 'tax_year', {
        billed: heading,
        paid: heading,
        due: heading,
        paid_on: heading,
      }),
    ),
    homestead: Type.Optional(
      Type.Object(
        {
          table: tableId,
          label: {
            ...words,
            description: 'The label of the row with the exemption.',
            examples: ['Homestead /Farmstead'],
          },
          approved_label: { ...words, description: 'The heading of the row with its status.', examples: ['Approved?'] },
          approved: { ...words, description: 'The status of an approved exemption.', examples: ['A - Approved'] },
          none: Type.Optional({ ...words, description: 'What the row shows for a parcel without an exemption.' }),
        },
        { ...closed, description: 'The homestead exemption. It is read only if it is approved.' },
      ),
    ),
  },
  closed,
)

export type Config = Static<typeof config>
export type Place = Static<typeof place>
export type ValuationTable = Static<typeof valuations>
