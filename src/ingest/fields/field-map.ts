import { ServiceError } from '../../../core/service-error'
import { compile } from './compile-map'
import type { Expression, Mapping } from './expression'
import type { Fields } from './fields'
import { FUNCTIONS } from './functions'

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
