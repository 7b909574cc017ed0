import type { Queryable, QueryableType } from './parcels/queryables'
import { ServiceError } from './service-error'
import { readTime } from './text/read-time'

/** Times are in ISO 8601, UTC. */
export type Cql2Value = string | number | boolean

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/** A parsed CQL2 expression. `ignoresCase`: texts are compared in lower case. */
export type Cql2 =
  | { kind: 'and' | 'or'; parts: Cql2[] }
  | { kind: 'not'; part: Cql2 }
  | { kind: 'compare'; property: string; ignoresCase: boolean; operator: Comparison; value: Cql2Value }
  | { kind: 'like'; property: string; ignoresCase: boolean; pattern: string }
  | { kind: 'between'; property: string; low: Cql2Value; high: Cql2Value }
  | { kind: 'in'; property: string; ignoresCase: boolean; values: Cql2Value[] }
  | { kind: 'is null'; property: string }

/** Bounds of one expression. */
export const CQL2_BOUNDS = { characters: 4_000, depth: 32, tokens: 1_000 } as const

const OPERATORS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>='])

interface Token {
  kind: 'word' | 'name' | 'text' | 'number' | 'sign' | 'end'
  text: string
}

/** Inside a text, a quote is doubled or escaped with a backslash. No two branches begin with the same character. */
const TOKEN =
  /\s*(?:(?<word>[A-Za-z_][\w.]*)|"(?<name>(?:[^"]|"")+)"|'(?<text>(?:[^'\\]|''|\\'|\\(?!'))*)'|(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<sign><>|<=|>=|[=<>(),]))/y

/**
 * Parses CQL2 text (OGC 21-065r2): comparisons, LIKE, BETWEEN, IN, IS NULL, CASEI, AND, OR, NOT. Also ILIKE, which GDAL sends. A property is
 * on the left of its operator.
 *
 * @throws ServiceError `bad_input`, which names the position
 */
export const parseCql2 = (text: string, queryables: Readonly<Record<string, Queryable>>): Cql2 => {
  if (text.length > CQL2_BOUNDS.characters)
    throw refusal(`has ${text.length} characters, more than ${CQL2_BOUNDS.characters}`)
  const parser = createParser(readTokens(text), queryables)
  return parser.parse()
}

/**
 * An expression that compares a property with a value from a query string.
 *
 * @throws ServiceError `bad_input`
 */
export const isValue = (property: string, text: string, queryables: Readonly<Record<string, Queryable>>): Cql2 => {
  const type = queryables[property]?.type ?? 'text'
  const value = readValue(type, text)
  if (value === null) throw new ServiceError('bad_input', `${property} must be ${VALUES[type]}`)
  return { kind: 'compare', property, ignoresCase: false, operator: '=', value }
}

const readValue = (type: QueryableType, text: string): Cql2Value | null => {
  if (type === 'number') return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : null
  if (type === 'boolean') return text === 'true' || text === 'false' ? text === 'true' : null
  if (type === 'time') return readTime(text)
  return text
}

const VALUES: Record<QueryableType, string> = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  time: 'a time in ISO 8601',
}

const refusal = (problem: string): ServiceError => new ServiceError('bad_input', `filter ${problem}`)

const readTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) throw refusal(`cannot be read from character ${from + 1}: ${excerpt(text.slice(from))}`)
    tokens.push(toToken(groups))
    if (tokens.length > CQL2_BOUNDS.tokens) throw refusal(`has more than ${CQL2_BOUNDS.tokens} words and signs`)
  }
  return tokens
}

const toToken = ({ word, name, text, number, sign }: Record<string, string | undefined>): Token => {
  if (word !== undefined) return { kind: 'word', text: word }
  if (name !== undefined) return { kind: 'name', text: name.replaceAll('""', '"') }
  if (text !== undefined) return { kind: 'text', text: text.replace(/''|\\'/g, "'") }
  if (number !== undefined) return { kind: 'number', text: number }
  return { kind: 'sign', text: sign ?? '' }
}

const excerpt = (text: string): string => JSON.stringify(text.trim().slice(0, 30))

const END: Token = { kind: 'end', text: '' }

const createParser = (tokens: readonly Token[], queryables: Readonly<Record<string, Queryable>>) => {
  let place = 0
  const peek = (): Token => tokens[place] ?? END
  const take = (): Token => tokens[place++] ?? END
  const isWord = (word: string): boolean => peek().kind === 'word' && peek().text.toUpperCase() === word
  const isSign = (sign: string): boolean => peek().kind === 'sign' && peek().text === sign
  const skip = (matches: boolean): boolean => {
    if (matches) place++
    return matches
  }
  const expected = (what: string): ServiceError =>
    refusal(
      peek().kind === 'end'
        ? `ends where ${what} is expected`
        : `has ${excerpt(peek().text)} where ${what} is expected`,
    )
  const expectSign = (sign: string): void => {
    if (!skip(isSign(sign))) throw expected(`"${sign}"`)
  }

  const parseAny = (depth: number): Cql2 => {
    if (depth > CQL2_BOUNDS.depth) throw refusal(`is nested deeper than ${CQL2_BOUNDS.depth} levels`)
    return parseList('OR', () => parseList('AND', () => parseFactor(depth + 1)))
  }
  const parseList = (word: 'AND' | 'OR', parsePart: () => Cql2): Cql2 => {
    const parts = [parsePart()]
    while (skip(isWord(word))) parts.push(parsePart())
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : { kind: word === 'AND' ? 'and' : 'or', parts }
  }
  const parseFactor = (depth: number): Cql2 => {
    if (skip(isWord('NOT'))) {
      if (depth > CQL2_BOUNDS.depth) throw refusal(`is nested deeper than ${CQL2_BOUNDS.depth} levels`)
      return { kind: 'not', part: parseFactor(depth + 1) }
    }
    if (!skip(isSign('('))) return parsePredicate()
    const inner = parseAny(depth)
    expectSign(')')
    return inner
  }

  /** The argument of CASEI, or an operand without it. */
  const parseCaseI = <Operand>(parseOperand: () => Operand): { operand: Operand; ignoresCase: boolean } => {
    const ignoresCase = skip(isWord('CASEI'))
    if (ignoresCase) expectSign('(')
    const operand = parseOperand()
    if (ignoresCase) expectSign(')')
    return { operand, ignoresCase }
  }
  const parseProperty = (): string => {
    const { kind, text } = peek()
    if (kind !== 'word' && kind !== 'name') throw expected('a property')
    place++
    if (!Object.hasOwn(queryables, text))
      throw refusal(`has ${excerpt(text)}, which is no property; known are ${Object.keys(queryables).join(', ')}`)
    return text
  }
  const typeOf = (property: string): QueryableType => queryables[property]?.type ?? 'text'

  const parseValue = (property: string): Cql2Value => {
    const { operand } = parseCaseI(() => {
      const isMoment = skip(isWord('TIMESTAMP') || isWord('DATE'))
      if (isMoment) expectSign('(')
      const value = parseLiteral(property)
      if (isMoment) expectSign(')')
      return value
    })
    return operand
  }
  const parseLiteral = (property: string): Cql2Value => {
    const type = typeOf(property)
    const { kind, text } = peek()
    if (type === 'number' && kind === 'number' && Number.isFinite(Number(text))) return Number(take().text)
    if (type === 'text' && kind === 'text') return take().text
    if (type === 'boolean' && (isWord('TRUE') || isWord('FALSE'))) return take().text.toUpperCase() === 'TRUE'
    const time = type === 'time' && kind === 'text' ? readTime(text) : null
    if (time !== null) {
      take()
      return time
    }
    throw expected(`${LITERALS[type]} for ${property}`)
  }

  const parsePredicate = (): Cql2 => {
    const { operand: property, ignoresCase } = parseCaseI(parseProperty)
    if (ignoresCase && typeOf(property) !== 'text') throw refusal(`has CASEI(${property}), which is no text`)
    if (skip(isWord('IS'))) {
      const negated = skip(isWord('NOT'))
      if (!skip(isWord('NULL'))) throw expected('NULL')
      return negate(negated, { kind: 'is null', property })
    }
    const negated = skip(isWord('NOT'))
    if (isWord('LIKE') || isWord('ILIKE')) {
      const isILike = take().text.toUpperCase() === 'ILIKE'
      if (typeOf(property) !== 'text') throw refusal(`has LIKE after ${property}, which is no text`)
      const pattern = String(parseValue(property))
      return negate(negated, { kind: 'like', property, ignoresCase: ignoresCase || isILike, pattern })
    }
    if (skip(isWord('BETWEEN'))) {
      const low = parseValue(property)
      if (!skip(isWord('AND'))) throw expected('AND')
      return negate(negated, { kind: 'between', property, low, high: parseValue(property) })
    }
    if (skip(isWord('IN'))) {
      expectSign('(')
      const values = [parseValue(property)]
      while (skip(isSign(','))) values.push(parseValue(property))
      expectSign(')')
      return negate(negated, { kind: 'in', property, ignoresCase, values })
    }
    if (negated) throw expected('LIKE, BETWEEN or IN')
    const { kind, text } = peek()
    if (kind !== 'sign' || !OPERATORS.has(text)) throw expected('an operator')
    place++
    return { kind: 'compare', property, ignoresCase, operator: text as Comparison, value: parseValue(property) }
  }

  return {
    parse: (): Cql2 => {
      const expression = parseAny(0)
      if (peek().kind !== 'end') throw expected('the end')
      return expression
    },
  }
}

const LITERALS: Record<QueryableType, string> = {
  text: "a text in '...'",
  number: 'a number',
  boolean: 'TRUE or FALSE',
  time: "a time in ISO 8601 in '...'",
}

const negate = (negated: boolean, part: Cql2): Cql2 => (negated ? { kind: 'not', part } : part)
