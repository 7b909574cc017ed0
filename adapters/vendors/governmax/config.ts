import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    tenant: Type.String({
      pattern: '^[\\w-]+$',
      description: "The last part of the report's name: `SC-Char` of `tab_summary_report_SC-Char.asp`.",
      examples: ['SC-Char'],
    }),
    parcel_id_length: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'Parcel numbers are padded with spaces to this length. If absent, they are sent unchanged.',
        examples: [25],
      }),
    ),
    parcel_label: Type.String({
      minLength: 1,
      default: 'Property ID (PIN)',
      description: "The county's label for the parcel number.",
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>
