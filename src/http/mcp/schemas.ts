import { type TSchema, Type } from '@sinclair/typebox'
import { TEXT } from '../../../core/bounds'
import { TIME_PATTERN } from '../../../core/text/read-time'
import { MAX_CURSOR_CHARACTERS } from '../../../search/cursor'

/** Inputs of tools. Plain JSON Schema: agents read it. */
export const closedInput = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })

export const source = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9_-]+$',
  takes: 'the slug of a source, as `coverage` lists it',
  description: 'Slug of a source, as `coverage` lists it.',
})

export const parcelId = Type.String({
  minLength: 1,
  maxLength: TEXT.id,
  description: 'Id of the parcel, in the notation of its source.',
})

export const state = Type.String({
  minLength: 2,
  maxLength: 2,
  takes: 'the 2-letter code of a US state, DC or a territory',
  description: '2-letter code of a state.',
})

export const owner = Type.String({
  minLength: 1,
  maxLength: TEXT.name,
  description:
    'Whole name, with its form such as "LLC". Case, punctuation, accents and spelling of the form do not matter.',
})

export const time = (description: string) =>
  Type.String({
    pattern: TIME_PATTERN,
    takes: 'a date or a time with its offset, in ISO 8601',
    description: `${description} A date (UTC) or a time with its offset, in ISO 8601.`,
  })

export const limit = (maximum: number, byDefault: number) =>
  Type.Integer({ minimum: 1, maximum, description: `Most records to return, default ${byDefault}.` })

export const after = Type.String({
  minLength: 1,
  maxLength: MAX_CURSOR_CHARACTERS,
  description: '`after` of the previous answer, for the next page. All other arguments must be the same.',
})

export const lon = Type.Number({ minimum: -180, maximum: 180, description: 'Longitude in degrees.' })
export const lat = Type.Number({ minimum: -90, maximum: 90, description: 'Latitude in degrees.' })
