/**
 * A set of states, by 2-letter code: those listed, or all but those listed. The second kind also contains codes that are no state
 * ("ZZ").
 */
export interface StateSet {
  codes: readonly string[]
  isExcept: boolean
}

export const ALL_STATES: StateSet = { codes: [], isExcept: true }
export const NO_STATES: StateSet = { codes: [], isExcept: false }

export const hasState = ({ codes, isExcept }: StateSet, code: string): boolean => codes.includes(code) !== isExcept

const complement = ({ codes, isExcept }: StateSet): StateSet => ({ codes, isExcept: !isExcept })

/** The states that are in both. */
export const intersectStates = (a: StateSet, b: StateSet): StateSet => {
  if (!a.isExcept) return { codes: a.codes.filter((code) => hasState(b, code)), isExcept: false }
  if (!b.isExcept) return intersectStates(b, a)
  return { codes: [...new Set([...a.codes, ...b.codes])], isExcept: true }
}

/** The states that are in `a` or `b`. */
export const uniteStates = (a: StateSet, b: StateSet): StateSet =>
  complement(intersectStates(complement(a), complement(b)))

/** The states that are in `a` and not in `b`. */
export const subtractStates = (a: StateSet, b: StateSet): StateSet => intersectStates(a, complement(b))

export const hasNoStates = ({ codes, isExcept }: StateSet): boolean => !isExcept && codes.length === 0
export const hasAllStates = ({ codes, isExcept }: StateSet): boolean => isExcept && codes.length === 0

/** "OR, WA", "all", or "all but OR, WA". */
export const describeStates = ({ codes, isExcept }: StateSet): string => {
  const listed = codes.toSorted().join(', ')
  if (!isExcept) return listed === '' ? 'none' : listed
  return listed === '' ? 'all' : `all but ${listed}`
}
