/**
 * A key that ignores the word "County", capitals and accents in a county's name. `state` is two capital letters. The word "City" stays:
 * Baltimore City and Baltimore County are two counties to the US Census Bureau, as are six other pairs of an independent city and a county.
 */
export const countyKey = (state: string, name: string): string =>
  `${state} ${name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .replace(/ (?:county|parish|borough|census area|municipality)$/, '')
    .replace(/^city of (.*)$/, '$1 city')}`
