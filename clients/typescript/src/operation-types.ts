import type { operations } from './generated/openapi.js'

/** Names of the operations, as in `/docs`. */
export type OperationId = keyof operations

type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } } ? Json : never

/** The JSON of a successful response. */
export type Result<Id extends OperationId> = JsonOf<operations[Id]['responses'][keyof operations[Id]['responses']]>

/** The JSON body of a request. */
export type Body<Id extends OperationId> = operations[Id] extends {
  requestBody?: infer Sent
}
  ? NonNullable<Sent> extends { content: { 'application/json': infer Json } }
    ? Json
    : never
  : never

/** Where the API takes text, comma-separated lists can be arrays and times can be dates; `true` and `false` can be booleans. */
type Written<Value> =
  | Value
  | (string extends Value ? readonly (string | number)[] | Date : 'true' extends Value ? boolean : never)

/** The query parameters of an operation. */
export type Query<Id extends OperationId> = {
  [Name in keyof NonNullable<operations[Id]['parameters']['query']>]:
    | Written<NonNullable<operations[Id]['parameters']['query']>[Name]>
    | (undefined extends NonNullable<operations[Id]['parameters']['query']>[Name] ? undefined : never)
}
