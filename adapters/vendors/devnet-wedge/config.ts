import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const words = (seen: string, description: string) => Type.String({ minLength: 1, default: seen, description })
const maybe = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

export const config = Type.Object(
  {
    year: Type.Optional(
      Type.Integer({
        minimum: 1900,
        maximum: 2200,
        description: 'The tax year to show. Default: the one that the portal shows.',
      }),
    ),
    labels: Type.Object(
      {
        parcel_number: words('Parcel Number', 'The parcel number.'),
        owner: words(
          'Owner Name & Address',
          'The owner, with the address below. Counties without it have a panel of names, which is read by its labels.',
        ),
        situs_address: words('Site Address', 'The street address.'),
        tax_year: words('Tax Year', 'The tax year shown.'),
        land_use_class: words('Property Class', 'Land use.'),
        acreage: words('Acres', 'Acres.'),
        total_tax: words('Total Tax', 'The tax of the year.'),
        taxable: words('Net Taxable Value', 'The taxable value of the year.'),
        assessed_value: maybe(
          'The assessed value, for counties without a table of assessments. If absent, it is not read.',
        ),
        zoning_code: maybe('Zoning. If absent, it is not read.'),
      },
      { ...closed, default: {}, description: "The county's labels in the overview." },
    ),
    payments: Type.Object(
      {
        year: words('Tax Year', 'Year.'),
        billed: words('Total Due', 'Amount billed.'),
        paid: words('Total Paid', 'Amount paid.'),
        due: words('Amount Unpaid', 'Amount still due.'),
        paid_on: maybe('Payment date. If absent, it is not read.'),
      },
      { ...closed, default: {}, description: 'The headings of the payment history.' },
    ),
    assessed_row: Type.String({
      minLength: 1,
      default: 'Board of Review',
      description: 'The label, or a part of it, of the assessment row whose total is the assessed value.',
    }),
  },
  closed,
)

export type Config = Static<typeof config>
