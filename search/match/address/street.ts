/** One reading of the words after the house number. */
export interface Street {
  /** The words of the name without spaces. "6th" and "6" are "sixth", and "21st" is "21". */
  name: string
  /** The direction before the name, then the one after it. Empty: none. */
  direction: string
  suffix: string
  postDirection: string
  /** Words after the street, except unit, state and ZIP code: most likely a city. */
  rest: readonly string[]
}

/** A reading with the door that stands after the street without a designator. Empty: none. */
export type Reading = Street & { door: string }
