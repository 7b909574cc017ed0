import { t } from 'elysia'
import { HttpError } from '../errors'

const TIME = 'a date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z'

export const TIME_PATTERN = '^[12]\\d{3}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$'

/** Whether a text has the form of a time. Read it with `parseTime`. */
export const isTime = (text: string): boolean => new RegExp(TIME_PATTERN).test(text)

/** An optional time in a query. Read it with `parseTime`. */
export const time = (description: string) =>
  t.Optional(
    t.String({
      pattern: TIME_PATTERN,
      takes: TIME,
      description: `${description} ${TIME[0]?.toUpperCase()}${TIME.slice(1)}. A date is its first moment.`,
      examples: ['2026-01-02'],
    }),
  )

/**
 * As ISO 8601 with milliseconds, in UTC.
 *
 * @throws HttpError 400
 */
export const parseTime = (name: string, text: string): string => {
  const parsed = new Date(text)
  // A day that the month does not have would become a day in the next month.
  if (Number.isNaN(parsed.getTime()) || Number(text.slice(8, 10)) > daysInMonth(text)) {
    throw new HttpError(400, `${name} must be ${TIME}`)
  }
  return parsed.toISOString()
}

const daysInMonth = (text: string): number =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
