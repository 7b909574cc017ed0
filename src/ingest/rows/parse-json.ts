import { RowFault } from './source-row'

/** A GeoJSON Feature needs seven. */
const MAX_LEVELS = 100
/** A shorter text has too few levels to take long. */
const LEAST_SUSPECT_CHARACTERS = 10_000

/**
 * The value of a JSON text. JSON.parse accepts any depth, but whatever writes a value of 50,000 levels as text again takes more than a second
 * for each row, and then often overflows the stack (Bun 1.4.5).
 *
 * @throws SyntaxError; RowFault when it is nested more than 100 levels deep
 */
export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (text.length >= LEAST_SUSPECT_CHARACTERS && isDeeperThan(MAX_LEVELS, value))
    throw new RowFault('it has a value that is nested too deeply')
  return value
}

const isDeeperThan = (levels: number, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}
