/** What US counties and their equivalents are called. The word "City" is not among them, because it tells two counties apart. */
const KINDS = ['county', 'parish', 'borough', 'census area', 'municipality']
const KIND_AT_END = new RegExp(` (?:${KINDS.join('|')})$`)
const SAINTS = ['st ', 'st. ', 'saint ']
const SAINT_FIRST = /^(?:st\.? |saint )/

/**
 * A key that ignores the word "County", capitals and accents in a county's name. `state` is two capital letters. The word "City" stays:
 * Baltimore City and Baltimore County are two counties to the US Census Bureau, as are six other pairs of an independent city and a county.
 */
export const countyKey = (state: string, name: string): string =>
  `${state} ${name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .replace(KIND_AT_END, '')
    .replace(/^city of (.*)$/, '$1 city')}`

/**
 * The names, in lower case, under which sources may have the county that a caller means: "Washington County" is stored as "Washington"
 * or "Washington County", "Saint Clair" as "St. Clair".
 */
export const listCountyNames = (county: string): string[] => {
  const name = county.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const bare = name.replace(KIND_AT_END, '')
  const spelled = SAINT_FIRST.test(bare) ? SAINTS.map((saint) => bare.replace(SAINT_FIRST, saint)) : [bare]
  return spelled.flatMap((one) => [one, ...KINDS.map((kind) => `${one} ${kind}`)])
}

/** "Washington" → "Washington County", for readers. "Orleans Parish" and "Carson City" stay. */
export const countyTitle = (name: string): string =>
  KIND_AT_END.test(name.toLowerCase()) || / city$/i.test(name) ? name : `${name} County`
