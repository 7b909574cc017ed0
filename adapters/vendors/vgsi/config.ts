import { type Static, Type } from '@sinclair/typebox'

const tableId = (description: string, example: string) =>
  Type.Optional(Type.String({ pattern: '^\\w+$', takes: "the end of a table's id", description, examples: [example] }))

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('pid'), Type.Literal('account'), Type.Literal('mblu')], {
      default: 'pid',
      description:
        "Which number is the source_parcel_id: Vision's pid, which the portal's URLs use; or the account number or MBLU, which requires the pid as vendorKey.",
    }),
    appraisal_table: tableId(
      "The last part of the id of this year's appraisal table, which the page must have. Default: grdCurrentValueAppr, if the page has it.",
      'grdCurrentValueAppr',
    ),
    assessment_table: tableId(
      "The same for this year's assessment table. Default: grdCurrentValueAsmt.",
      'grdCurrentValueAsmt',
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>
