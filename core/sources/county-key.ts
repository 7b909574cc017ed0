/** The same for a county's name with or without the word "County", capitals and accents. `state` is two capital letters. */
export const countyKey = (state: string, name: string): string =>
  `${state} ${name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .replace(/ (?:county|parish|borough|census area|municipality|city)$/, '')}`
