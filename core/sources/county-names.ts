/** What US counties and their equivalents are called. The word "City" is not among them, because it tells two counties apart. */
const KINDS = ['county', 'parish', 'borough', 'census area', 'municipality']
const KIND_AT_END = new RegExp(` (?:${KINDS.join('|')})$`)
/** What callers and sources write differently in a name, in lower case, and all ways to write it. */
const SPELLINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:st\.? |saint )/, ['st ', 'st. ', 'saint ']],
  // DeKalb or De Kalb, DuPage, LaSalle
  [/^(de|du|la) ?(?=\w)/, ['$1', '$1 ']],
  // O'Brien or OBrien
  [/^o'?(?=\w)/, ['o', "o'"]],
  // Prince George's or Prince Georges
  [/'?s$/, ['s', "'s"]],
  // Miami-Dade or Miami Dade
  [/(?<=^\w{3,})[- ](?=\w{3,}$)/, ['-', ' ']],
  [/^do[ñn]a ana$/, ['doña ana', 'dona ana']],
]

/**
 * A key that ignores the word "County", capitals, accents and punctuation in a county's name. `state` is two capital letters. The word
 * "City" stays: Baltimore City and Baltimore County are two counties to the US Census Bureau, as are six other pairs of an independent city
 * and a county.
 */
export const countyKey = (state: string, name: string): string =>
  `${state} ${name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll('-', ' ')
    .replace(/[^a-z ]/g, '')
    .replace(KIND_AT_END, '')
    .replace(/^city of (.*)$/, '$1 city')
    .replace(/^saint /, 'st ')
    .replace(/ (?!city$)/g, '')}`

/**
 * The names, in lower case, under which sources may have the county that a caller means: "Washington County" is stored as "Washington"
 * or "Washington County", "Saint Clair" as "St. Clair".
 */
export const listCountyNames = (county: string): string[] => {
  const name = county.normalize('NFC').trim().toLowerCase().replaceAll(/\s+/g, ' ').replaceAll('’', "'")
  const spelled = SPELLINGS.reduce<readonly string[]>(
    (names, [part, ways]) =>
      names.flatMap((one) => (part.test(one) ? ways.map((way) => one.replace(part, way)) : [one])),
    [name.replace(KIND_AT_END, '')],
  )
  return spelled.flatMap((one) => [one, ...KINDS.map((kind) => `${one} ${kind}`)])
}

/** "Washington" → "Washington County", for readers. "Orleans Parish" and "Carson City" stay. */
export const countyTitle = (name: string): string =>
  KIND_AT_END.test(name.toLowerCase()) || / city$/i.test(name) ? name : `${name} County`
