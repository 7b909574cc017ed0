/* Tables of spellings: what a roll writes, and what people type instead. Independent of the tables of the service. */

const pairs = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s*,\s*/)
      .map((pair) => pair.split(' ') as [string, string]),
  )

const backwards = (table: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(table).map(([short, long]) => [long, short]))

const bothWays = (table: Record<string, string>): Record<string, string> => ({ ...table, ...backwards(table) })

export const DIRECTIONS = pairs(
  'n north, s south, e east, w west, ne northeast, nw northwest, se southeast, sw southwest',
)
export const SUFFIXES =
  pairs(`st street, ave avenue, dr drive, rd road, ct court, ln lane, pl place, blvd boulevard, way wy,
  cir circle, ter terrace, pkwy parkway, hwy highway, loop lp, sq square, pk park`)
export const DIRECTION_SPELLINGS = bothWays(DIRECTIONS)
export const SUFFIX_SPELLINGS = bothWays(SUFFIXES)

/** Words in front of a street's or a person's name: "ST HELENS", "MOUNT VERNON", "FT ROCK". */
export const PREFIX_SPELLINGS = bothWays(pairs('st saint, mt mount, ft fort'))

export const ORDINALS =
  pairs(`1st first, 2nd second, 3rd third, 4th fourth, 5th fifth, 6th sixth, 7th seventh, 8th eighth,
  9th ninth, 10th tenth, 11th eleventh, 12th twelfth`)

/** How people write the legal form of a company. */
export const COMPANY_FORMS: Readonly<Record<string, readonly string[]>> = {
  llc: ['l l c', 'l.l.c.', 'limited liability co', 'limited liability company'],
  'l.l.c.': ['llc', 'l l c', 'limited liability company'],
  'l l c': ['llc', 'l.l.c.', 'limited liability co'],
  inc: ['incorporated', 'inc.'],
  corp: ['corporation', 'corp.'],
  corporation: ['corp'],
  co: ['company', 'co.'],
  company: ['co'],
  ltd: ['limited', 'ltd.'],
  lp: ['l p', 'l.p.', 'limited partnership'],
  llp: ['l l p', 'l.l.p.', 'limited liability partnership'],
  pc: ['p c', 'p.c.', 'professional corporation'],
}

/** How people write the words of a trust. */
export const TRUST_WORDS: Readonly<Record<string, readonly string[]>> = {
  trust: ['tr', 'trst'],
  tr: ['trust'],
  family: ['fam'],
  fam: ['family'],
  living: ['liv'],
  liv: ['living'],
  revocable: ['rev'],
  rev: ['revocable'],
  trustee: ['ttee', 'tr'],
  trustees: ['ttees', 'trs'],
  ttee: ['trustee'],
}

export const NICKNAMES = pairs(`robert bob, william bill, james jim, john jack, richard rick, michael mike, david dave,
  thomas tom, charles chuck, christopher chris, daniel dan, matthew matt, anthony tony, donald don, steven steve, stephen steve,
  andrew andy, joshua josh, kenneth ken, timothy tim, ronald ron, edward ed, jeffrey jeff, jacob jake, nicholas nick, gregory greg,
  benjamin ben, samuel sam, patrick pat, raymond ray, lawrence larry, joseph joe, elizabeth liz, barbara barb, susan sue,
  jessica jess, jennifer jen, margaret peggy, patricia pat, deborah deb, rebecca becky, kathleen kathy, katherine kate,
  catherine cathy, christine chris, pamela pam, samantha sam, victoria vicky, kimberly kim, cynthia cindy, sandra sandy, douglas doug`)

export const STATE_NAMES: ReadonlySet<string> = new Set(
  `alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,georgia,hawaii,idaho,illinois,indiana,iowa,kansas,
kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,montana,nebraska,nevada,new hampshire,
new jersey,new mexico,new york,north carolina,north dakota,ohio,oklahoma,oregon,pennsylvania,rhode island,south carolina,
south dakota,tennessee,texas,utah,vermont,virginia,washington,west virginia,wisconsin,wyoming`
    .split(',')
    .map((name) => name.trim()),
)

/** The keys beside each letter and digit (US layout). */
export const NEIGHBOR_KEYS: Readonly<Record<string, string>> = {
  ...{ q: 'wa', w: 'qes', e: 'wrd', r: 'etf', t: 'ryg', y: 'tuh', u: 'yij', i: 'uok', o: 'ipl', p: 'o' },
  ...{ a: 'qsz', s: 'adwx', d: 'sfec', f: 'dgrv', g: 'fhtb', h: 'gjyn', j: 'hkum', k: 'jlim', l: 'ko' },
  ...{ z: 'ax', x: 'zcs', c: 'xvd', v: 'cbf', b: 'vng', n: 'bmh', m: 'nj' },
}

/** The same sound in other letters. The first rule that applies to a word is used. */
export const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/ph/, 'f'],
  [/mc(?=[a-z])/, 'mac'],
  [/ck/, 'k'],
  [/son$/, 'sen'],
  [/sen$/, 'son'],
  [/ie(?=[a-z])/, 'ei'],
  [/ei/, 'ie'],
  [/ough/, 'o'],
  [/ght/, 't'],
  [/sch/, 'sh'],
  [/tz/, 'ts'],
  [/ee/, 'ea'],
  [/ea/, 'ee'],
  [/(?<=[a-z])y$/, 'ie'],
  [/ll/, 'l'],
  [/tt/, 't'],
  [/nn/, 'n'],
  [/ss/, 's'],
  [/rr/, 'r'],
  [/(?<=[a-z])er$/, 'ar'],
  [/c(?=[aou])/, 'k'],
  [/k(?=[aou])/, 'c'],
  [/w/, 'wh'],
]

const ONES = 'one,two,three,four,five,six,seven,eight,nine'.split(',')
const TEENS = 'ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,nineteen'.split(',')
const TENS = 'twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety'.split(',')

const sayBelowHundred = (number: number): string | undefined => {
  if (number < 10) return ONES[number - 1]
  if (number < 20) return TEENS[number - 10]
  return [TENS[Math.floor(number / 10) - 2], ONES[(number % 10) - 1]].filter((word) => word !== undefined).join(' ')
}

/** A house number of two to four digits as people say it: "1234" → "twelve thirty four". Null: it has other digits, or a zero among them. */
export const sayNumber = (digits: string): string | null => {
  if (!/^[1-9]{2,4}$/.test(digits)) return null
  const pairs = digits.length < 3 ? [digits] : [digits.slice(0, -2), digits.slice(-2)]
  return pairs.map((pair) => sayBelowHundred(Number(pair))).join(' ')
}
