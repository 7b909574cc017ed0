/** A key that ignores the word "County", capitals and accents in a county's name. `state` is two capital letters. */
export const countyKey = (state: string, name: string): string =>
  `${state} ${name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .replace(/ (?:county|parish|borough|census area|municipality|city)$/, '')}`
