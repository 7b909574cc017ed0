import { type Static, Type } from '@sinclair/typebox'

const tableId = (description: string, example: string) =>
  Type.Optional(Type.String({ pattern: '^\\w+$', takes: "the end of a table's id", description, examples: [example] }))

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('pid'), Type.Literal('account'), Type.Literal('mblu')], {
      default: 'pid',
      description:
        "What a source_parcel_id is: Vision's pid, which addresses are made of; or the account number or MBLU, and then the pid has to be given (vendorKey).",
    }),
    appraisal_table: tableId(
      "The end of the id of the table of this year's appraisal. Left out: it is not read.",
      'grdCurrentValueAppr',
    ),
    assessment_table: tableId("The same of this year's assessment.", 'grdCurrentValueAsmt'),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>
