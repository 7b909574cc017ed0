import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    tenant: Type.String({
      pattern: '^[\\w-]+$',
      description: 'The end of the name of the report: `SC-Char` of `tab_summary_report_SC-Char.asp`.',
      examples: ['SC-Char'],
    }),
    parcel_id_length: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description:
          'Parcel numbers are filled up with blanks to this length. Left out: they are asked for as they are.',
        examples: [25],
      }),
    ),
    parcel_label: Type.String({
      minLength: 1,
      default: 'Property ID (PIN)',
      description: 'What the county calls its parcel number.',
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>
