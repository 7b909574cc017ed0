import type { Evaluate } from './functions'

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
