/** What `readTime` accepts, for messages. */
export const TIME = 'a date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z'

export const TIME_PATTERN = '^[12]\\d{3}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$'

const FORM = new RegExp(TIME_PATTERN)

/** As ISO 8601 with milliseconds, in UTC; a date means the start of that day. Null: the text is not `TIME`, or has a day that does not exist. */
export const readTime = (text: string): string | null => {
  if (!FORM.test(text)) return null
  const time = new Date(text)
  // A day that the month does not have would become a day in the next month.
  if (Number.isNaN(time.getTime()) || Number(text.slice(8, 10)) > daysInMonth(text)) return null
  return time.toISOString()
}

const daysInMonth = (text: string): number =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate()
