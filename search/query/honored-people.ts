import { splitWords } from './text'

/** People after whom many US streets and schools are named: the full name, then its abbreviations in queries and records. */
const PEOPLE: readonly (readonly string[])[] = [
  ['martin luther king', 'mlk', 'm l king', 'ml king', 'martin l king', 'm l k'],
  ['john f kennedy', 'jfk', 'j f kennedy', 'j f k'],
  ['franklin d roosevelt', 'fdr', 'f d roosevelt', 'f d r'],
]

/**
 * "200 mlk blvd" → "200 martin luther king blvd", and then the other ways to write it. A space follows a last word that is complete, as the
 * name itself is. Only the text itself: it names none of these people.
 */
export const spellOutPeople = (text: string): [spelledOut: string, ...others: string[]] => {
  const words = ` ${splitWords(text).join(' ')} `
  for (const [fullName = '', ...abbreviations] of PEOPLE) {
    const typed = [fullName, ...abbreviations].find((name) => words.includes(` ${name} `))
    if (typed === undefined) continue
    const end = /[\s,]$/u.test(text) || words.endsWith(` ${typed} `) ? ' ' : ''
    const spell = (name: string) => words.replace(` ${typed} `, ` ${name} `).trim() + end
    return [typed === fullName ? text : spell(fullName), ...abbreviations.map(spell)]
  }
  return [text]
}
