import { type Static, Type } from '@sinclair/typebox'

/** Differences between counties that cannot be read from base_url or the page. */
export const config = Type.Object(
  {
    county: Type.Optional(
      Type.String({ minLength: 1, description: 'The name of the county in its URLs.', examples: ['larkspur'] }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>
