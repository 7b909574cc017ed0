/** Words for the kind of owner or ownership, in the forms that portals use; they come and go between scrapes. */
const COMPANY_FORMS: Readonly<Record<string, string>> = {
  incorporated: 'inc',
  corporation: 'corp',
  limited: 'ltd',
  company: 'co',
  trs: 'trustee',
  tr: 'trustee',
  ttee: 'trustee',
  trustees: 'trustee',
}
const FILLERS = new Set(['and', 'the', 'of', 'et', 'al', 'etal', 'ux', 'etux', 'vir', 'aka', 'fka', 'dba'])
const FORMS = new Set([...Object.values(COMPANY_FORMS), 'llc', 'lp', 'llp', 'trust', 'estate', 'revocable', 'living'])

/** Portals cut long names at a fixed width, so a name this long may be the beginning of a longer one. */
const CUT_OFF_LENGTH = 24

/** Whether two texts name the same owner, ignoring case, punctuation, word order, company forms and a cut-off end. */
export const isSameOwner = (a: string, b: string): boolean => {
  if (ownerWords(a).join(' ') === ownerWords(b).join(' ')) return true
  const [short = '', long = ''] = [flatten(a), flatten(b)].sort((x, y) => x.length - y.length)
  return short.length >= CUT_OFF_LENGTH && long.startsWith(short)
}

/** Whether two owners have a name in common: a family, or the same company in another spelling. */
export const sharesName = (a: string, b: string): boolean => {
  const words = new Set(ownerWords(a))
  return ownerWords(b).some((word) => word.length > 2 && !FORMS.has(word) && words.has(word))
}

const LLC = /\b(?:(?:limited|ltd) liability (?:company|co)|l l c)\b/
const LP = /\b(?:limited|ltd) partnership\b/

/** The words, sorted and without duplicates. */
const ownerWords = (name: string): string[] => {
  const words = flatten(name)
    .replace(LLC, 'llc')
    .replace(LP, 'lp')
    .split(' ')
    .map((word) => COMPANY_FORMS[word] ?? word)
    .filter((word) => !FILLERS.has(word))
  return [...new Set(words)].sort()
}

/** `O'HARA, L.L.C.` to `ohara llc`, and `PEÑA` to `pena`. */
const flatten = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\p{M}.'’`]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
