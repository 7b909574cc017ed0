import { type Static, Type } from '@sinclair/typebox'

const names = (description: string, ...seen: string[]) =>
  Type.Array(Type.String({ minLength: 1 }), {
    default: seen,
    description: `${description} The first of these names in the record is read.`,
  })

export const config = Type.Object(
  {
    record_id: Type.Union([Type.Literal('search'), Type.Literal('parcel')], {
      default: 'search',
      description: "Where the record's id comes from: the search, or the source_parcel_id itself.",
    }),
    // Names differ by county. The defaults are the ones seen so far.
    names: Type.Object(
      {
        parcel_number: names('The parcel number.', 'par', 'PARID', 'ScheduleNumber', 'account_no'),
        owners: names('The owner, or a list of owners.', 'owners_list', 'OwnerName', 'OwnerNames'),
        owner_mailing_address: names("The owner's address."),
        situs_address: names('The street address.', 'Street', 'FullAddress', 'siteaddress', 'propaddr'),
        land_use_class: names('Land use.'),
        zoning_code: names('Zoning.', 'zone', 'ZONE1'),
        lot_size: names('The size of the lot with its unit.', 'DisplayArea'),
        value_land: names('Value of the land.'),
        value_improvement: names('Value of the improvements.'),
        total_value: names('Total value.', 'marketvalueheader', 'ACTUAL_VAL', 'total_value'),
        assessed_value: names('Assessed value.', 'TotAssd_NonSchool', 'AssessedValue'),
        tax_year: names('The year of the values and of the tax.', 'TaxYear', 'TAXYEAR'),
        tax_amount: names('The tax of that year.', 'TaxAmount', 'TAXAMT'),
        year_built: names('Year built.', 'YearBlt', 'YearBuilt', 'ACTUALYEARBUILT'),
        living_area_sq_ft: names(
          'Living area of the building in square feet.',
          'AboveGradeArea',
          'SFLA',
          'TotalFinishedArea',
        ),
      },
      { default: {}, additionalProperties: false, description: "The record's names for its values." },
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>
