import { DECIMAL } from '../../schemas'

/** `count` decimal numbers, separated by commas. Null: the text is something else. */
export const readNumbers = (text: string, count: number): number[] | null => {
  const numbers = text.split(',').map((part) => (DECIMAL.test(part.trim()) ? Number(part) : Number.NaN))
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null
}
