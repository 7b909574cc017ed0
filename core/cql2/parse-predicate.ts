import type { Queryables, QueryableType } from '../parcels/queryables'
import { readTime } from '../text/read-time'
import { type Comparison, type Cql2, type Cql2Value, refusal } from './cql2'
import { excerpt, type Tokens } from './tokens'

/** The left side of a predicate. `ignoresCase`: it is in CASEI. */
interface Subject {
  property: string
  type: QueryableType
  ignoresCase: boolean
}

const OPERATORS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>='])

const LITERALS: Record<QueryableType, string> = {
  text: "a text in '...'",
  number: 'a number',
  boolean: 'TRUE or FALSE',
  time: "a time in ISO 8601 in '...', such as '2026-01-02T03:04:05Z',",
}

/** Parses what is said of one property. */
export const parsePredicate = (tokens: Tokens, queryables: Queryables): Cql2 => {
  const subject = parseSubject(tokens, queryables)
  if (tokens.skipWord('IS')) {
    const isNegated = tokens.skipWord('NOT')
    tokens.expectWord('NULL')
    return negateIf(isNegated, { kind: 'is null', property: subject.property })
  }
  const isNegated = tokens.skipWord('NOT')
  const predicate = parseLike(tokens, subject) ?? parseBetween(tokens, subject) ?? parseIn(tokens, subject)
  if (predicate !== null) return negateIf(isNegated, predicate)
  if (isNegated) throw tokens.expected('LIKE, BETWEEN or IN')
  return parseComparison(tokens, subject)
}

const negateIf = (isNegated: boolean, part: Cql2): Cql2 => (isNegated ? { kind: 'not', part } : part)

const parseSubject = (tokens: Tokens, queryables: Queryables): Subject => {
  const { operand, ignoresCase } = parseCaseI(tokens, () => parseProperty(tokens, queryables))
  if (ignoresCase && operand.type !== 'text') throw refusal(`has CASEI(${operand.property}), which is not text`)
  return { ...operand, ignoresCase }
}

const parseProperty = (tokens: Tokens, queryables: Queryables): Pick<Subject, 'property' | 'type'> => {
  const { kind, text } = tokens.next
  if (kind !== 'word' && kind !== 'name') throw tokens.expected('a property')
  const queryable = Object.hasOwn(queryables, text) ? queryables[text] : undefined
  if (queryable === undefined)
    throw refusal(`has ${excerpt(text)}, which is not a property; known are ${Object.keys(queryables).join(', ')}`)
  tokens.take()
  return { property: text, type: queryable.type }
}

/** This function and the next two return null when another predicate follows. */
const parseLike = (tokens: Tokens, subject: Subject): Cql2 | null => {
  const isILike = tokens.skipWord('ILIKE')
  if (!isILike && !tokens.skipWord('LIKE')) return null
  const { property, type } = subject
  if (type !== 'text') throw refusal(`has LIKE after ${property}, which is not text`)
  const pattern = String(parseValue(tokens, subject))
  return { kind: 'like', property, ignoresCase: subject.ignoresCase || isILike, pattern }
}

const parseBetween = (tokens: Tokens, subject: Subject): Cql2 | null => {
  if (!tokens.skipWord('BETWEEN')) return null
  const low = parseValue(tokens, subject)
  tokens.expectWord('AND')
  return { kind: 'between', property: subject.property, low, high: parseValue(tokens, subject) }
}

const parseIn = (tokens: Tokens, subject: Subject): Cql2 | null => {
  if (!tokens.skipWord('IN')) return null
  tokens.expectSign('(')
  const values = [parseValue(tokens, subject)]
  while (tokens.skipSign(',')) values.push(parseValue(tokens, subject))
  tokens.expectSign(')')
  return { kind: 'in', property: subject.property, ignoresCase: subject.ignoresCase, values }
}

const parseComparison = (tokens: Tokens, subject: Subject): Cql2 => {
  const { kind, text } = tokens.next
  if (kind !== 'sign' || !OPERATORS.has(text)) throw tokens.expected('an operator')
  tokens.take()
  const { property, ignoresCase } = subject
  return { kind: 'compare', property, ignoresCase, operator: text as Comparison, value: parseValue(tokens, subject) }
}

/** A value of the property's type. Times may be in TIMESTAMP or DATE. CASEI around a value changes nothing: only CASEI around the property counts. */
const parseValue = (tokens: Tokens, subject: Subject): Cql2Value => {
  const { operand } = parseCaseI(tokens, () => {
    const isMoment = tokens.skipWord('TIMESTAMP') || tokens.skipWord('DATE')
    if (isMoment) tokens.expectSign('(')
    const value = parseLiteral(tokens, subject)
    if (isMoment) tokens.expectSign(')')
    return value
  })
  return operand
}

const parseLiteral = (tokens: Tokens, { property, type }: Subject): Cql2Value => {
  const value = readLiteral(tokens, type)
  if (value === null) throw tokens.expected(`${LITERALS[type]} for ${property}`)
  tokens.take()
  return value
}

/** The next token as a value; null: it is no value of this type. */
const readLiteral = (tokens: Tokens, type: QueryableType): Cql2Value | null => {
  const { kind, text } = tokens.next
  if (type === 'boolean') return readBoolean(tokens)
  if (type === 'number') return kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : null
  if (kind !== 'text') return null
  return type === 'time' ? readTime(text) : text
}

/** Also 1 and 0: GDAL has no other way to write a boolean. */
const readBoolean = (tokens: Tokens): boolean | null => {
  const { kind, text } = tokens.next
  const isNumber = kind === 'number'
  if (tokens.isWord('TRUE') || (isNumber && text === '1')) return true
  return tokens.isWord('FALSE') || (isNumber && text === '0') ? false : null
}

/** An operand, or an operand in CASEI. */
const parseCaseI = <Operand>(
  tokens: Tokens,
  parseOperand: () => Operand,
): { operand: Operand; ignoresCase: boolean } => {
  const ignoresCase = tokens.skipWord('CASEI')
  if (ignoresCase) tokens.expectSign('(')
  const operand = parseOperand()
  if (ignoresCase) tokens.expectSign(')')
  return { operand, ignoresCase }
}
