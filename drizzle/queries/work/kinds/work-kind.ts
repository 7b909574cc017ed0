import { type TObject, Type } from '@sinclair/typebox'

/** The definition of one kind of work, besides its runner. */
export interface WorkKind<Payload extends TObject = TObject> {
  name: string
  /** The schema of the payload. `orderWork` rejects any other. */
  payload: Payload
  /** The schema of the result. Members appear as the work progresses. */
  result: TObject
}

/** Objects of these schemas have no other members. */
export const closed = { additionalProperties: false } as const
export const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })
