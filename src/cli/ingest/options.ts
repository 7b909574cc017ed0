import type { parseArgs } from 'node:util'
import { Coordinates } from '../../ingest/coordinates/coordinates'
import { FORMAT_NAMES, type FormatName } from '../../ingest/formats/format-names'
import { findEncoding } from '../../ingest/formats/text-decoder'
import { WIDTH } from '../../ingest/writing/batches'
import { orUsageError, UsageError } from '../command/command'
import { oneOf } from '../command/option-values'

export const OPTIONS = {
  source: { type: 'string' },
  join: { type: 'string' },
  jurisdiction: { type: 'string' },
  map: { type: 'string', multiple: true },
  'map-file': { type: 'string', multiple: true },
  preset: { type: 'string' },
  preview: { type: 'boolean', default: false },
  rows: { type: 'string' },
  format: { type: 'string' },
  encoding: { type: 'string' },
  rejects: { type: 'string' },
  duplicates: { type: 'string', default: 'reject' },
  sum: { type: 'string' },
  'broken-geometry': { type: 'string', default: 'reject' },
  boundary: { type: 'string' },
  crs: { type: 'string' },
  layer: { type: 'string' },
  complete: { type: 'boolean', default: false },
  'as-of': { type: 'string' },
  state: { type: 'string' },
  county: { type: 'string' },
  'base-url': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** How a load uses the database. The first load of a data directory begins its database. */
export const DATABASE = { applicationName: 'ingest', max: WIDTH, needsData: false }

/** The options of a command line, unchecked. */
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** How many rows to check. Undefined: the default. Null: all. */
export const readRowCount = ({ rows: text }: Values): number | null | undefined => {
  if (text === undefined) return undefined
  if (text === 'all') return null
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new UsageError(`--rows takes a number or all, not "${text}"`)
  return count
}

/** Null: detected from the content. */
export const readFormat = ({ format }: Values): FormatName | null =>
  format === undefined ? null : oneOf('--format', format, FORMAT_NAMES)

/** Null: what the file declares, or by its content. */
export const readEncoding = ({ encoding }: Values): string | null => {
  if (encoding !== undefined && findEncoding(encoding) === null)
    throw new UsageError(`--encoding takes the name of an encoding, such as utf-8 or windows-1252, not "${encoding}"`)
  return encoding ?? null
}

/** Null: what the file declares. */
export const readCrs = async ({ crs }: Values): Promise<string | null> => {
  if (crs === undefined) return null
  await orUsageError('', () => new Coordinates(crs))
  return crs
}

export const readAsOf = ({ 'as-of': text }: Values): string | null => {
  if (text === undefined) return null
  const date = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text)
    throw new UsageError(`--as-of takes a date, such as 2026-01-31, not "${text}"`)
  return text
}
