/** The names of the fields that differ. */
export const listDifferent = (former: object, now: object): string[] => {
  const [one, other] = [former, now].map((part) => part as Record<string, unknown>)
  const names = new Set([...Object.keys(former), ...Object.keys(now)])
  return [...names].filter((name) => !Bun.deepEquals(one?.[name], other?.[name]))
}
