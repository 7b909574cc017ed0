/** Column names, in which the next `OWNER` after the first is `OWNER_1`, or has another first `number`. Empty names stay. */
export const distinctNames = (names: readonly string[], number = 1): string[] => {
  const taken = new Set(names)
  const next = new Map<string, number>()
  return names.map((name) => {
    let free = next.get(name)
    if (name === '' || free === undefined) {
      next.set(name, number)
      return name
    }
    while (taken.has(`${name}_${free}`)) free++
    next.set(name, free + 1)
    return `${name}_${free}`
  })
}
