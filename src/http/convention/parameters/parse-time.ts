import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { readTime, TIME, TIME_PATTERN } from '../../../../core/text/read-time'
import { HttpError } from '../errors'

/** An optional time in a query. Read it with `parseTime`. */
export const time = (description: string) =>
  t.Optional(
    t.String({
      pattern: TIME_PATTERN,
      takes: TIME,
      description: `${description} ${TIME[0]?.toUpperCase()}${TIME.slice(1)}. A date means the start of that day.`,
      examples: ['2026-01-02'],
    }),
  )

/** An example of a time that must be in the future: a fixed one would be in the past one day, and then refused. */
export const COMING_TIME = `${new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10)}T08:00:00.000Z`

/** A time in a body. Read it with `parseTime`. */
export const timeInBody = (description: string, example: string) =>
  Type.String({ pattern: TIME_PATTERN, takes: TIME, description, examples: [example] })

/**
 * As ISO 8601 with milliseconds, in UTC.
 *
 * @throws HttpError 400
 */
export const parseTime = (name: string, text: string): string => {
  const time = readTime(text)
  if (time === null) throw new HttpError(400, `${name} must be ${TIME}`)
  return time
}
