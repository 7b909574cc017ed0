import { ServiceError } from '../../../core/service-error'
import { type SourceRow, ValueFault } from '../rows/source-row'
import { type Fields, isRequired } from './fields'
import { type Argument, type Evaluate, FUNCTIONS } from './functions'
import { toFieldValue, toNumber, toText } from './values'

/** A field of the record and the expression for its value. */
export interface Mapping {
  target: string
  expression: Expression
}

export type Expression =
  | { kind: 'column'; name: string }
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'call'; name: string; args: Expression[] }
  /** A function of a map that is a program. It may read any column. */
  | { kind: 'program'; evaluate: Evaluate }
  | { kind: 'binary'; operator: '+' | '-' | '*' | '/' | '|'; left: Expression; right: Expression }

/**
 * Parses a field map: `target=expression`, one or more, separated by commas or line ends; `#` begins a comment line. A
 * JSON object with the same content also works. An expression consists of columns (`LandAreaSqFt`, `"Land Area"`, `$id` for a Feature's own id),
 * numbers, `'texts'`, `+ - * /`, parentheses and functions (FUNCTIONS); `A|B` is A, or B if A is empty. `+` joins texts and adds
 * numbers: `situs_address=HouseNo+' '+Street`, `acreage=LandAreaSqFt/43560`, `source_parcel_id=cut(PIN, 1, 8)`.
 *
 * @throws ServiceError `bad_input`, quoting the text that cannot be parsed and listing the fields.
 */
export const parseFieldMap = (text: string, fields: Fields): Mapping[] => {
  const mappings = text.trimStart().startsWith('{')
    ? fromJson(text, fields)
    : new Parser(text.replace(/^\s*#.*$/gm, ''), fields).mappings()
  const twice = mappings.find(({ target }, index) => mappings.findIndex((other) => other.target === target) !== index)
  if (twice !== undefined) throw new ServiceError('bad_input', `the field map names ${twice.target} twice`)
  return mappings
}

const fromJson = (text: string, fields: Fields): Mapping[] => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ServiceError(
      'bad_input',
      `the field map is not JSON: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    )
  }
  return Object.entries(value as Record<string, unknown>).map(([target, expression]) =>
    new Parser(`${target}=${expression}`, fields).mapping(),
  )
}

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?![\w$]))|(?<name>[\p{L}_$][\p{L}\p{N}_.$]*)|"(?<quoted>(?:[^"\n]|"")+)"|'(?<text>(?:[^'\n]|'')*)'|(?<sign>[-+*/|()=,]))/uy
/** White space that does not end a mapping. */
const BLANK = /[^\S\n]*/y

type Token = { kind: 'number' | 'name' | 'text' | 'sign' | 'end'; value: string; isQuoted?: boolean }

/** A recursive descent parser: mappings, alternatives, sums, products. */
class Parser {
  #at = 0

  constructor(
    readonly input: string,
    readonly fields: Fields,
  ) {}

  mappings(): Mapping[] {
    const mappings: Mapping[] = []
    while (true) {
      while (this.#take('\n') || this.#take(',')) {}
      if (this.#peek().kind === 'end') return mappings
      mappings.push(this.mapping())
    }
  }

  mapping(): Mapping {
    const target = this.#next()
    if (target.kind !== 'name' || !(target.value in this.fields)) {
      this.#refuse(`"${target.value}" is not a field. Fields: ${Object.keys(this.fields).join(', ')}`)
    }
    if (!this.#take('=')) this.#refuse(`after ${target.value}, = and a column are expected`)
    const expression = this.#alternatives()
    const after = this.#peek()
    if (after.kind !== 'end' && after.value !== ',') this.#refuse(`"${after.value}" is not expected there`)
    return { target: target.value, expression }
  }

  #alternatives(): Expression {
    let left = this.#sum()
    while (this.#take('|')) left = { kind: 'binary', operator: '|', left, right: this.#sum() }
    return left
  }

  #sum(): Expression {
    let left = this.#product()
    while (true) {
      const operator = this.#take('+') ?? this.#take('-')
      if (operator === null) return left
      left = { kind: 'binary', operator: operator as '+' | '-', left, right: this.#product() }
    }
  }

  #product(): Expression {
    let left = this.#operand()
    while (true) {
      const operator = this.#take('*') ?? this.#take('/')
      if (operator === null) return left
      left = { kind: 'binary', operator: operator as '*' | '/', left, right: this.#operand() }
    }
  }

  #operand(): Expression {
    if (this.#take('(')) {
      const inner = this.#alternatives()
      if (!this.#take(')')) this.#refuse('a parenthesis is not closed')
      return inner
    }
    const token = this.#next()
    if (token.kind === 'number') return { kind: 'number', value: Number(token.value) }
    if (token.kind === 'text') return { kind: 'text', value: token.value }
    if (token.kind === 'name') {
      const isCall = !token.isQuoted && this.#take('(') !== null
      return isCall ? this.#call(token.value) : { kind: 'column', name: token.value }
    }
    return this.#refuse(
      token.kind === 'end' ? 'an expression is missing at the end' : `"${token.value}" is not expected there`,
    )
  }

  #call(name: string): Expression {
    const called = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (called === undefined) {
      return this.#refuse(`"${name}" is not a function. Functions: ${Object.keys(FUNCTIONS).join(', ')}`)
    }
    const args = [this.#alternatives()]
    while (this.#take(',')) args.push(this.#alternatives())
    if (!this.#take(')')) this.#refuse('a parenthesis is not closed')
    const [min, max] = called.takes
    if (args.length < min || args.length > max) this.#refuse(`${name} is used as ${called.usage}`)
    const call: Expression = { kind: 'call', name, args }
    try {
      compile(call, name, true)
    } catch (error) {
      this.#refuse(error instanceof ServiceError ? error.message : String(error))
    }
    return call
  }

  /** Consumes `sign` if it is next. A line end only counts between mappings. */
  #take(sign: string): string | null {
    if (sign === '\n') {
      const before = this.#at
      const blanks = /\s*/y
      blanks.lastIndex = this.#at
      blanks.test(this.input)
      this.#at = blanks.lastIndex
      return this.#at > before ? sign : null
    }
    const before = this.#at
    const token = this.#next()
    if (token.kind === 'sign' && token.value === sign) return sign
    this.#at = before
    return null
  }

  #peek(): Token {
    const before = this.#at
    const token = this.#next()
    this.#at = before
    return token
  }

  #next(): Token {
    BLANK.lastIndex = this.#at
    BLANK.test(this.input)
    this.#at = BLANK.lastIndex
    if (this.#at >= this.input.length || this.input[this.#at] === '\n') return { kind: 'end', value: '' }
    TOKEN.lastIndex = this.#at
    const groups = TOKEN.exec(this.input)?.groups
    if (groups === undefined) return this.#refuse(`"${this.input.slice(this.#at).split('\n')[0]}" cannot be read`)
    this.#at = TOKEN.lastIndex
    if (groups.number !== undefined) return { kind: 'number', value: groups.number }
    if (groups.text !== undefined) return { kind: 'text', value: groups.text.replaceAll("''", "'") }
    if (groups.sign !== undefined) return { kind: 'sign', value: groups.sign }
    if (groups.name !== undefined) return { kind: 'name', value: groups.name }
    return { kind: 'name', value: (groups.quoted ?? '').replaceAll('""', '"'), isQuoted: true }
  }

  #refuse(why: string): never {
    throw new ServiceError('bad_input', `the field map "${this.input.trim().slice(0, 200)}": ${why}`)
  }
}

/** The names of the columns that an expression reads. */
export const columnsOf = (expression: Expression): string[] => {
  if (expression.kind === 'column') return [expression.name]
  if (expression.kind === 'call') return expression.args.flatMap(columnsOf)
  return expression.kind === 'binary' ? [...columnsOf(expression.left), ...columnsOf(expression.right)] : []
}

/** The text of an expression, as `parseFieldMap` reads it. */
export const formatExpression = (expression: Expression): string => {
  switch (expression.kind) {
    case 'column':
      return /^[\p{L}_$][\p{L}\p{N}_.$]*$/u.test(expression.name)
        ? expression.name
        : `"${expression.name.replaceAll('"', '""')}"`
    case 'text':
      return `'${expression.value.replaceAll("'", "''")}'`
    case 'number':
      return `${expression.value}`
    case 'call':
      return `${expression.name}(${expression.args.map(formatExpression).join(', ')})`
    case 'program':
      return '(a function)'
    case 'binary': {
      const { operator, left, right } = expression
      return `${formatOperand(left, operator)}${operator}${formatOperand(right, operator, true)}`
    }
  }
}

const PRECEDENCE = { '|': 0, '+': 1, '-': 1, '*': 2, '/': 2 } as const

const formatOperand = (operand: Expression, operator: keyof typeof PRECEDENCE, isRight = false): string => {
  const text = formatExpression(operand)
  if (operand.kind !== 'binary') return text
  const [inner, outer] = [PRECEDENCE[operand.operator], PRECEDENCE[operator]]
  return inner < outer || (inner === outer && isRight) ? `(${text})` : text
}

/** Maps every other field to the column of the same name. */
export const completeFieldMap = (mappings: readonly Mapping[], fields: Fields): Mapping[] =>
  Object.keys(fields).map(
    (target) =>
      mappings.find((mapping) => mapping.target === target) ?? { target, expression: { kind: 'column', name: target } },
  )

/**
 * Fills a record from a row, and returns it. `onLeftOut` is called for each optional value that cannot be read; without it, such a value
 * is thrown. @throws RowFault naming the field and the value; the record has the fields before it
 */
export type ReadRecord = (
  row: SourceRow,
  record?: Record<string, unknown>,
  onLeftOut?: (field: string, fault: ValueFault) => void,
) => Record<string, unknown>

export const compileFieldMap = (mappings: readonly Mapping[], fields: Fields): ReadRecord => {
  const steps = mappings.map(({ target, expression }) => {
    const field = fields[target] as Fields[string]
    const joins = !['money', 'area', 'degrees'].includes(field.type)
    return { target, field, evaluate: compile(expression, target, joins) }
  })
  return ({ properties }, record = {}, onLeftOut) => {
    for (const { target, field, evaluate } of steps) {
      try {
        const value = toFieldValue(evaluate(properties), field, target)
        if (value !== null) record[field.key] = value
      } catch (error) {
        if (onLeftOut === undefined || !(error instanceof ValueFault) || isRequired(field)) throw error
        onLeftOut(target, error)
      }
    }
    return record
  }
}

const compile = (expression: Expression, target: string, joins: boolean): Evaluate => {
  if (expression.kind === 'column') {
    const { name } = expression
    return (properties) => properties[name]
  }
  if (expression.kind === 'program') return expression.evaluate
  if (expression.kind === 'call') return compileCall(expression, target, joins)
  if (expression.kind !== 'binary') return () => expression.value
  const { operator } = expression
  const left = compile(expression.left, target, joins)
  const right = compile(expression.right, target, joins)
  if (operator === '|') {
    return (properties) => {
      const value = left(properties)
      return value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
        ? right(properties)
        : value
    }
  }
  if (operator === '+' && joins) return compileJoin(expression, target)
  return (properties) => {
    const a = toNumber(left(properties), target)
    const b = toNumber(right(properties), target)
    if (a === null || b === null) return null
    const result = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b
    if (!Number.isFinite(result)) throw new ValueFault(`${target} is ${a} ${operator} ${b}: not a number`)
    return result
  }
}

const compileCall = (
  { name, args }: Extract<Expression, { kind: 'call' }>,
  target: string,
  joins: boolean,
): Evaluate => {
  const called = FUNCTIONS[name] as (typeof FUNCTIONS)[string]
  const toArgument = (expression: Expression, index: number): Argument => ({
    evaluate: compile(expression, target, called.isResult?.(index, args.length) === true ? joins : true),
    constant: expression.kind === 'text' || expression.kind === 'number' ? expression.value : null,
  })
  return called.compile(args.map(toArgument), target)
}

/** Joins texts and skips empty columns. If only constants are left, the result is empty: `No+' '+Street` is empty if both columns are. */
const compileJoin = (expression: Expression, target: string): Evaluate => {
  const terms: { evaluate: Evaluate; isConstant: boolean }[] = []
  const collect = (term: Expression): void => {
    if (term.kind === 'binary' && term.operator === '+') {
      collect(term.left)
      collect(term.right)
    } else terms.push({ evaluate: compile(term, target, true), isConstant: columnsOf(term).length === 0 })
  }
  collect(expression)
  return (properties) => {
    let joined = ''
    let hasContent = false
    for (const { evaluate, isConstant } of terms) {
      const value = evaluate(properties)
      const text = isConstant ? String(value) : (toText(value, target) ?? '')
      if (!isConstant && text !== '') hasContent = true
      joined += text
    }
    return hasContent ? joined : null
  }
}
