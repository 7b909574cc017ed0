import { serverNow } from './api/server-clock'

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 })
const compactDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
})
const whole = new Intl.NumberFormat('en-US')
const hundredths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const dayOfDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const clock = new Intl.DateTimeFormat('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const distance = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

export const DASH = '–'

export const formatDollars = (value: number | null | undefined): string =>
  value == null ? DASH : dollars.format(value)
export const formatAcres = (value: number | null | undefined): string =>
  value == null ? DASH : hundredths.format(value)
/** Null instead of a dash, for lists that leave out what is not known. */
export const formatKnown = (value: number | null, format: (value: number) => string): string | null =>
  value === null ? null : format(value)
export const formatCompactDollars = (value: number): string => compactDollars.format(value)
export const formatCount = (value: number): string => whole.format(value)
export const formatDay = (timestamp: string): string => day.format(new Date(timestamp))
/** For a date without a time: the same day in every time zone. */
export const formatDate = (date: string | null | undefined): string =>
  date == null ? DASH : dayOfDate.format(new Date(`${date}T00:00:00Z`))
export const formatMoment = (timestamp: string): string => moment.format(new Date(timestamp))
/** Of a URL, which may have another text than a time: that text. A day if it begins then in the viewer's time zone. */
export const formatStart = (text: string): string => {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return text
  return time.getTime() === new Date(time).setHours(0, 0, 0, 0) ? day.format(time) : moment.format(time)
}
/** The day in the viewer's time zone, as a date field has it; empty if the time is not valid. */
export const toDateField = (time: Date): string => {
  if (Number.isNaN(time.getTime())) return ''
  const [month, dayOfMonth] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(time.getFullYear()).padStart(4, '0')}-${month}-${dayOfMonth}`
}
export const formatClock = (at: Date): string => clock.format(at)

export const formatPercent = (share: number): string =>
  `${(share * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%`

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

export const formatDistance = (timestamp: string, now = serverNow()): string => {
  const seconds = (Date.parse(timestamp) - now) / 1_000
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return distance.format(Math.trunc(seconds / length), unit)
  }
  if (Math.abs(seconds) < 10) return seconds > 0 ? 'in a moment' : 'just now'
  return distance.format(Math.trunc(seconds), 'second')
}

export const formatBytes = (bytes: number): string => {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const step = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1_000 ** step
  return `${value.toLocaleString('en-US', { maximumFractionDigits: step === 0 ? 0 : 1 })} ${units[step]}`
}

export const formatDuration = (ms: number | null): string => {
  if (ms === null) return DASH
  if (ms < 1_000) return `${ms} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`
}

/** About how long, in the largest unit that fits: "about 12 min". */
export const formatAbout = (seconds: number): string => {
  if (seconds < 60) return 'less than a minute'
  if (seconds < 5_400) return `about ${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `about ${Math.round(seconds / 3_600)} h` : `about ${Math.round(seconds / 86_400)} days`
}

/** `last_success_at` as a person writes it. */
export const formatFieldName = (name: string): string => {
  const words = name.replaceAll('_', ' ').replaceAll('.', ' › ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value of an enumeration, such as `tax-statement-window` or `worker_lost`, as words. */
export const formatWords = (name: string): string => name.replaceAll(/[-_]/g, ' ')
