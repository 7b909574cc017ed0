/** Three rows of the distance matrix: scratch memory of `editDistance`. */
let rows = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)] as const

/** Restricted Damerau–Levenshtein distance (a pair of letters is swapped once); above `most` it returns `most + 1`. */
export const editDistance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  // Skip the common prefix and suffix.
  let [endA, endB] = [a.length, b.length]
  while (endA > 0 && endB > 0 && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  let start = 0
  while (start < endA && start < endB && a.charCodeAt(start) === b.charCodeAt(start)) start++
  const [lengthA, lengthB] = [endA - start, endB - start]
  if (lengthA === 0 || lengthB === 0) return Math.min(lengthA + lengthB, most + 1)

  if (lengthB + 1 > rows[0].length) {
    rows = [new Uint8Array(lengthB + 1), new Uint8Array(lengthB + 1), new Uint8Array(lengthB + 1)]
  }
  let [previous2, previous, current] = rows
  for (let j = 0; j <= lengthB; j++) previous[j] = Math.min(j, 250)
  for (let i = 1; i <= lengthA; i++) {
    const [before, unit] = [a.charCodeAt(start + i - 2), a.charCodeAt(start + i - 1)]
    let best = Math.min(i, 250)
    current[0] = best
    for (let j = 1; j <= lengthB; j++) {
      const other = b.charCodeAt(start + j - 1)
      let cost = (previous[j - 1] ?? 0) + (unit === other ? 0 : 1)
      cost = Math.min(cost, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1)
      const isSwapped = i > 1 && j > 1 && unit === b.charCodeAt(start + j - 2) && before === other
      if (isSwapped) cost = Math.min(cost, (previous2[j - 2] ?? 0) + 1)
      current[j] = cost
      if (cost < best) best = cost
    }
    if (best > most) return most + 1
    const spare = previous2
    previous2 = previous
    previous = current
    current = spare
  }
  return Math.min(previous[lengthB] ?? 0, most + 1)
}
