import { type Static, Type } from '@sinclair/typebox'

/** Every county has the same pages on one host: the county is `idCounty` in base_url. */
export const config = Type.Object({}, { additionalProperties: false })

export type Config = Static<typeof config>
