import { type SourceRow, ValueFault } from '../rows/source-row'
import { columnsOf, type Expression, type Mapping } from './expression'
import { type Fields, isRequired } from './fields'
import { type Argument, type Evaluate, FUNCTIONS } from './functions'
import { toFieldValue, toNumber, toText } from './values'

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

/** What ArcGIS (`<Null>`) and the text exports of MySQL and PostgreSQL (`\N`) write for a missing value. */
const NULL_MARK = /^\s*(?:<null>|\\N)\s*$/i

/** @throws ServiceError `bad_input` for a call with arguments that its function does not take */
export const compile = (expression: Expression, target: string, joins: boolean): Evaluate => {
  if (expression.kind === 'column') {
    const { name } = expression
    return (properties) => {
      const value = properties[name]
      return typeof value === 'string' && NULL_MARK.test(value) ? null : value
    }
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
