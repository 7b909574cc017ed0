/** Directions and street suffixes: written out, abbreviated or omitted (USPS Publication 28, appendix C). */
const OPTIONAL = new Set(
  (
    'n s e w ne nw se sw north south east west northeast northwest southeast southwest ' +
    'st street ave av avenue rd road dr drive ln lane ct court cir circle blvd boulevard pl place way hwy highway ' +
    'pkwy parkway ter terrace trl trail loop'
  ).split(' '),
)

/**
 * Whether mail goes to the street and number of `situs`; `mailing` may continue with unit, city and ZIP. `post-box`: a post
 * office box. `unknown`: one of them has no house number, so they cannot be compared.
 */
export const compareStreets = (situs: string, mailing: string): 'same' | 'other' | 'post-box' | 'unknown' => {
  const there = wordsOf(situs)
  const mail = wordsOf(mailing)
  const [number, ...street] = there.filter((word) => !OPTIONAL.has(word))
  if (number === undefined || !/^\d/.test(number)) return 'unknown'
  // A street named after a direction, or named "Court", consists only of such words.
  const name = street[0] ?? there[1]
  if (name === undefined) return 'unknown'
  if (mail.some((word, index) => word === number && mail.slice(index + 1).includes(name))) return 'same'
  if (/\b(p ?o|post office) (box|drawer)\b/.test(mail.join(' '))) return 'post-box'
  return mail.some((word) => /^\d/.test(word)) ? 'other' : 'unknown'
}

const wordsOf = (address: string): string[] =>
  address
    .toLowerCase()
    .replace(/[.'’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
