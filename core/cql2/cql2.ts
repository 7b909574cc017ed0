import { ServiceError } from '../service-error'

/** Times are in ISO 8601, UTC. */
export type Cql2Value = string | number | boolean

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/** A parsed CQL2 expression. `ignoresCase`: texts are compared in lower case. */
export type Cql2 =
  | { kind: 'and' | 'or'; parts: Cql2[] }
  | { kind: 'not'; part: Cql2 }
  | { kind: 'constant'; value: boolean }
  | { kind: 'compare'; property: string; ignoresCase: boolean; operator: Comparison; value: Cql2Value }
  | { kind: 'like'; property: string; ignoresCase: boolean; pattern: string }
  | { kind: 'between'; property: string; low: Cql2Value; high: Cql2Value }
  | { kind: 'in'; property: string; ignoresCase: boolean; values: Cql2Value[] }
  | { kind: 'is null'; property: string }

/** Bounds of one expression. */
export const CQL2_BOUNDS = { characters: 4_000, depth: 32, tokens: 1_000 } as const

/** The error of an expression that is refused. */
export const refusal = (problem: string): ServiceError => new ServiceError('bad_input', `filter ${problem}`)
