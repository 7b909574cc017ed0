/** Texts of parcels whose results are remembered. The parcels of the whole country have millions of different words. */
const MAX_REMEMBERED = 100_000

/** Remembers the results for texts that parcels have in common. Forgets all of them when there are too many. */
export const remember = <Value>(read: (text: string) => Value): ((text: string) => Value) => {
  const known = new Map<string, Value>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= MAX_REMEMBERED) known.clear()
    const value = read(text)
    known.set(text, value)
    return value
  }
}
