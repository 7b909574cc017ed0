import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino'
import { LOG_TEXT_CHARACTERS } from '../../../core/bounds'
import type { LogLevel } from '../../config'

/** The process's log. Errors may quote their input or have it as fields, so texts are cut, and only simple fields of an error are kept. */
export const createLog = (level: LogLevel, destination?: DestinationStream): Logger => {
  const options: LoggerOptions = {
    level,
    formatters: { log: cutTexts },
    serializers: { err: (error: unknown) => (error instanceof Error ? describeError(error) : error) },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Keeps the beginning and the end: the end of a stack trace with a long message shows where it came from. */
const cut = (text: string): string => {
  const left = text.length - LOG_TEXT_CHARACTERS
  if (left <= 0) return text
  const half = LOG_TEXT_CHARACTERS / 2
  return `${text.slice(0, half)} [${left} characters omitted] ${text.slice(-half)}`
}

const cutTexts = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]),
  )

/** An error's type, message, stack and causes, and its fields that are text, numbers or booleans, such as a database's code and table. */
const describeError = (error: Error): Record<string, unknown> => {
  const fields = Object.entries(stdSerializers.err(error))
  return cutTexts(
    Object.fromEntries(fields.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))),
  )
}
