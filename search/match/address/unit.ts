const UNIT_DESIGNATORS: ReadonlySet<string> = new Set(['unit', 'bldg', 'fl', 'dept', 'ph', 'hngr', 'lot', 'trlr'])

/** A door without a designator: "4", "4b", "b4". A ZIP code has five digits. */
const DOOR = /^(?:\d{1,4}[a-z]{0,2}|[a-z]{1,2}\d{1,3}|[a-z])$/

/** Removes "unit 4b" and "bldg 2 unit 4" from the words from `least` on. The other words stay in order. */
export const takeUnit = (words: readonly string[], least: number): { unit: string; others: string[] } => {
  const unit: string[] = []
  const others: string[] = []
  for (let place = 0; place < words.length; place++) {
    const word = words[place] ?? ''
    const next = words[place + 1]
    const isUnit =
      place >= least && UNIT_DESIGNATORS.has(word) && next !== undefined && (isDoor(next) || /\d/.test(next))
    if (word === 'unit' && next === 'unit') continue
    if (!isUnit) others.push(word)
    else {
      unit.push(next)
      place++
    }
  }
  return { unit: unit.map((part) => withoutZeros(part)).join('-'), others }
}

export const isDoor = (word: string): boolean => DOOR.test(word)

/** Removes a door without a designator from the beginning of the words after a street. */
export const takeDoor = (words: readonly string[]): { door: string; rest: readonly string[] } => {
  const [first = ''] = words
  return isDoor(first) ? { door: withoutZeros(first), rest: words.slice(1) } : { door: '', rest: words }
}

const withoutZeros = (unit: string): string => unit.replace(/^0+(?=.)/, '')
