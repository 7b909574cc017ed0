import type { Queryables } from '../parcels/queryables'
import { CQL2_BOUNDS, type Cql2, refusal } from './cql2'
import { parsePredicate } from './parse-predicate'
import { Tokens } from './tokens'

/**
 * Parses CQL2 text (OGC 21-065r2): comparisons, LIKE, BETWEEN, IN, IS NULL, CASEI, TRUE, FALSE, AND, OR, NOT. Also ILIKE, and 1 and 0 for
 * booleans, which GDAL sends. A property is on the left of its operator.
 *
 * @throws ServiceError `bad_input`, which names the position
 */
export const parseCql2 = (text: string, queryables: Queryables): Cql2 => {
  if (text.length > CQL2_BOUNDS.characters)
    throw refusal(`has ${text.length} characters, more than ${CQL2_BOUNDS.characters}`)
  const tokens = new Tokens(text)
  const expression = parseExpression(tokens, queryables, 0)
  if (tokens.next.kind !== 'end') throw tokens.expected('the end')
  return expression
}

/** AND binds more tightly than OR. */
const parseExpression = (tokens: Tokens, queryables: Queryables, depth: number): Cql2 => {
  expectDepth(depth)
  const parseAnd = () => parseList(tokens, 'AND', () => parseFactor(tokens, queryables, depth + 1))
  return parseList(tokens, 'OR', parseAnd)
}

const parseList = (tokens: Tokens, word: 'AND' | 'OR', parsePart: () => Cql2): Cql2 => {
  const first = parsePart()
  const parts = [first]
  while (tokens.skipWord(word)) parts.push(parsePart())
  return parts.length === 1 ? first : { kind: word === 'AND' ? 'and' : 'or', parts }
}

/** A predicate, TRUE or FALSE, an expression in parentheses, or NOT before one of them. */
const parseFactor = (tokens: Tokens, queryables: Queryables, depth: number): Cql2 => {
  if (tokens.skipWord('NOT')) {
    expectDepth(depth)
    return { kind: 'not', part: parseFactor(tokens, queryables, depth + 1) }
  }
  for (const value of [true, false]) if (tokens.skipWord(value ? 'TRUE' : 'FALSE')) return { kind: 'constant', value }
  if (!tokens.skipSign('(')) return parsePredicate(tokens, queryables)
  const inner = parseExpression(tokens, queryables, depth)
  tokens.expectSign(')')
  return inner
}

const expectDepth = (depth: number): void => {
  if (depth > CQL2_BOUNDS.depth) throw refusal(`is nested deeper than ${CQL2_BOUNDS.depth} levels`)
}
