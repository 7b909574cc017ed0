import { type Static, Type } from '@sinclair/typebox'

/** Every county has the same pages on one host: `idCounty` in base_url selects the county. */
export const config = Type.Object({}, { additionalProperties: false })

export type Config = Static<typeof config>
