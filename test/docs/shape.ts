const FORMATS = [
  { name: 'a UUID', pattern: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/ },
  { name: 'a timestamp', pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
]

/** A printed object with this field does not print all of its fields. */
const ELISION = '…'

/**
 * Where a real answer differs in shape from a printed one: fields, types, UUIDs and timestamps. A printed null stands for any value. A list
 * must contain the printed items.
 */
export const listDifferences = (printed: unknown, real: unknown, path = 'answer'): string[] => {
  if (printed === null) return []
  if (Array.isArray(printed)) {
    if (!Array.isArray(real)) return [`${path} is no list`]
    if (real.length < printed.length) return [`${path} has ${real.length} items, ${printed.length} are printed`]
    return printed.flatMap((item, index) => listDifferences(item, real[index], `${path}[${index}]`))
  }
  if (typeof printed === 'object') {
    if (typeof real !== 'object' || real === null || Array.isArray(real)) return [`${path} is no object`]
    const { [ELISION]: elided, ...fields } = printed as Record<string, unknown>
    const unprinted = elided === undefined ? Object.keys(real).filter((name) => !Object.hasOwn(fields, name)) : []
    return [
      ...unprinted.map((name) => `${path}.${name} is not printed`),
      ...Object.entries(fields).flatMap(([name, value]) =>
        Object.hasOwn(real, name)
          ? listDifferences(value, (real as Record<string, unknown>)[name], `${path}.${name}`)
          : [`${path}.${name} is printed, but missing`],
      ),
    ]
  }
  if (typeof real !== typeof printed) return [`${path} is ${JSON.stringify(real)}, not like ${JSON.stringify(printed)}`]
  const format = FORMATS.find(({ pattern }) => pattern.test(String(printed)))
  return format === undefined || format.pattern.test(String(real)) ? [] : [`${path} is not ${format.name}`]
}
