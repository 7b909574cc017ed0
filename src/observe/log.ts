import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino'
import { LOG_TEXT_CHARACTERS } from '../../core/bounds'
import type { LogLevel } from '../config'

/** The process's log. What failed can quote its input, or carry it along: texts are cut, and of an error only what is plain is kept. */
export const createLog = (level: LogLevel, destination?: DestinationStream): Logger => {
  const options: LoggerOptions = {
    level,
    formatters: { log: cutTexts },
    serializers: { err: (error: unknown) => (error instanceof Error ? describeError(error) : error) },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Beginning and end are kept: of a stack trace with a long message the end is where it came from. */
const cut = (text: string): string => {
  const left = text.length - LOG_TEXT_CHARACTERS
  if (left <= 0) return text
  const half = LOG_TEXT_CHARACTERS / 2
  return `${text.slice(0, half)} [${left} characters left out] ${text.slice(-half)}`
}

const cutTexts = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]),
  )

/** Its kind, message, stack and those of its causes, and its fields that are texts, numbers or booleans: a database's code and table. */
const describeError = (error: Error): Record<string, unknown> => {
  const fields = Object.entries(stdSerializers.err(error))
  return cutTexts(
    Object.fromEntries(fields.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))),
  )
}
