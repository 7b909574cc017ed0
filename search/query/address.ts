import { createWordFilter } from './word-filter'

/*
 * Standardizes street addresses by USPS Publication 28 (https://pe.usps.com/text/pub28/): both sides of a comparison write a word
 * the same way. Words are converted one by one, whatever part of the address they are: an
 * "avenue" in a street's name becomes "ave" in the query and in the roll.
 */

/** Appendix C1, street suffixes: the standard abbreviation, then its names and spellings. */
const SUFFIXES: Readonly<Record<string, string>> = {
  aly: 'alley allee ally',
  anx: 'annex anex annx',
  arc: 'arcade',
  ave: 'avenue av aven avenu avn avnue',
  bch: 'beach',
  bg: 'burg',
  blf: 'bluff bluf',
  blfs: 'bluffs',
  blvd: 'boulevard boul boulv bvd',
  bnd: 'bend',
  br: 'branch brnch',
  brg: 'bridge brdge',
  brk: 'brook',
  brks: 'brooks',
  btm: 'bottom bot bottm',
  byp: 'bypass bypa bypas byps',
  byu: 'bayou bayoo',
  cir: 'circle circ circl crcl crcle',
  clb: 'club',
  clf: 'cliff',
  clfs: 'cliffs',
  cmn: 'common',
  cmns: 'commons',
  cor: 'corner',
  cors: 'corners',
  cp: 'camp cmp',
  cpe: 'cape',
  crk: 'creek',
  cres: 'crescent crsent crsnt',
  crse: 'course',
  crst: 'crest',
  cswy: 'causeway causwa',
  ct: 'court',
  ctr: 'center cen cent centr centre cnter cntr',
  cts: 'courts',
  curv: 'curve',
  cv: 'cove',
  cvs: 'coves',
  cyn: 'canyon canyn cnyn',
  dl: 'dale',
  dm: 'dam',
  dr: 'drive driv drv',
  drs: 'drives',
  dv: 'divide div dvd',
  est: 'estate',
  ests: 'estates',
  expy: 'expressway exp expr express expw',
  ext: 'extension extn extnsn',
  exts: 'extensions',
  fld: 'field',
  flds: 'fields',
  fls: 'falls',
  flt: 'flat',
  flts: 'flats',
  frd: 'ford',
  frg: 'forge forg',
  frk: 'fork',
  frks: 'forks',
  frst: 'forest forests',
  fry: 'ferry frry',
  ft: 'fort frt',
  fwy: 'freeway freewy frway frwy',
  gdn: 'garden gardn grden grdn',
  gdns: 'gardens grdns',
  gln: 'glen',
  glns: 'glens',
  grn: 'green',
  grns: 'greens',
  grv: 'grove grov',
  grvs: 'groves',
  gtwy: 'gateway gatewy gatway gtway',
  hbr: 'harbor harb harbr hrbor',
  hl: 'hill',
  hls: 'hills',
  holw: 'hollow hllw hollows holws',
  hts: 'heights ht',
  hvn: 'haven',
  hwy: 'highway highwy hiway hiwy hway',
  inlt: 'inlet',
  is: 'island islnd',
  iss: 'islands islnds',
  jct: 'junction jction jctn junctn juncton',
  jcts: 'junctions jctns',
  knl: 'knoll knol',
  knls: 'knolls',
  ky: 'key',
  kys: 'keys',
  lck: 'lock',
  ldg: 'lodge ldge lodg',
  lf: 'loaf',
  lgt: 'light',
  lk: 'lake',
  lks: 'lakes',
  ln: 'lane',
  lndg: 'landing lndng',
  loop: 'loops lp',
  mdw: 'meadow',
  mdws: 'meadows medows',
  ml: 'mill',
  mls: 'mills',
  mnr: 'manor',
  mnrs: 'manors',
  msn: 'mission missn mssn',
  mt: 'mount mnt',
  mtn: 'mountain mntain mntn mountin mtin',
  mtns: 'mountains mntns',
  mtwy: 'motorway',
  nck: 'neck',
  opas: 'overpass',
  orch: 'orchard orchrd',
  oval: 'ovl',
  park: 'parks prk pk',
  path: 'paths',
  pike: 'pikes',
  pkwy: 'parkway parkwy pkway pky parkways pkwys',
  pl: 'place',
  pln: 'plain',
  plns: 'plains',
  plz: 'plaza plza',
  pne: 'pine',
  pnes: 'pines',
  pr: 'prairie prr',
  prt: 'port',
  psge: 'passage',
  pt: 'point',
  pts: 'points',
  radl: 'radial rad radiel',
  rd: 'road',
  rdg: 'ridge rdge',
  rdgs: 'ridges',
  rds: 'roads',
  riv: 'river rvr rivr',
  rnch: 'ranch ranches rnchs',
  rpd: 'rapid',
  rpds: 'rapids',
  rst: 'rest',
  rte: 'route rt',
  shl: 'shoal',
  shr: 'shore shoar',
  shrs: 'shores shoars',
  skwy: 'skyway',
  smt: 'summit sumit sumitt',
  spg: 'spring spng sprng',
  spgs: 'springs spngs sprngs',
  sq: 'square sqr sqre squ',
  sqs: 'squares sqrs',
  st: 'street strt str',
  sta: 'station statn stn',
  strm: 'stream streme',
  sts: 'streets',
  ter: 'terrace terr',
  tpke: 'turnpike trnpk turnpk tpk',
  trak: 'track tracks trk trks',
  trce: 'trace traces',
  trl: 'trail trails trls',
  trlr: 'trailer',
  trwy: 'throughway',
  tunl: 'tunnel tunel tunls tunnels tunnl',
  un: 'union',
  upas: 'underpass',
  via: 'viaduct vdct viadct',
  vis: 'vista vist vst vsta',
  vl: 'ville',
  vlg: 'village vill villag villg',
  vly: 'valley vally vlly',
  vw: 'view',
  vws: 'views',
  walk: 'walks',
  way: 'wy',
  wl: 'well',
  wls: 'wells',
  xing: 'crossing crssng',
  xrd: 'crossroad',
}

/** Section 233, directionals. */
const DIRECTIONALS: Readonly<Record<string, string>> = {
  n: 'north',
  e: 'east',
  s: 'south',
  w: 'west',
  ne: 'northeast',
  nw: 'northwest',
  se: 'southeast',
  sw: 'southwest',
}

/**
 * Section 213, secondary units. Designators that only number a door become one word here, because rolls and people use them
 * interchangeably.
 */
const UNITS: Readonly<Record<string, string>> = {
  unit: 'apartment apt suite ste room rm space spc spce no number unt',
  bldg: 'building',
  fl: 'floor flr',
  dept: 'department',
  hngr: 'hangar',
  ph: 'penthouse',
  bsmt: 'basement',
}

/** Words of streets and cities that are not suffixes. */
const PLACES: Readonly<Record<string, string>> = { st: 'saint' }

/** Ordinals become digits (section 232, and common practice of rolls). */
const ORDINALS: Readonly<Record<string, string>> = {
  '1st': 'first',
  '2nd': 'second',
  '3rd': 'third',
  '4th': 'fourth',
  '5th': 'fifth',
  '6th': 'sixth',
  '7th': 'seventh',
  '8th': 'eighth',
  '9th': 'ninth',
  '10th': 'tenth',
  '11th': 'eleventh',
  '12th': 'twelfth',
  '13th': 'thirteenth',
  '14th': 'fourteenth',
  '15th': 'fifteenth',
  '16th': 'sixteenth',
  '17th': 'seventeenth',
  '18th': 'eighteenth',
  '19th': 'nineteenth',
  '20th': 'twentieth',
  '30th': 'thirtieth',
  '40th': 'fortieth',
  '50th': 'fiftieth',
  '60th': 'sixtieth',
  '70th': 'seventieth',
  '80th': 'eightieth',
  '90th': 'ninetieth',
}

const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
/** "1st" to "9th", by their words. */
const ORDINALS_OF_ONE_DIGIT = new Map(
  Object.entries(ORDINALS)
    .slice(0, 9)
    .map(([digits, word]) => [word, digits] as const),
)
const MAY_BE_COMPOUND = /ty[\s-]?[efnst]/i
const COMPOUND_ORDINAL = new RegExp(
  `\\b(${TENS.join('|')})[\\s-]?(${[...ORDINALS_OF_ONE_DIGIT.keys()].join('|')})\\b`,
  'gi',
)

/** An address whose ordinals of two words are digits: "Twenty-First St" → "21st St". */
export const writeOrdinals = (address: string): string =>
  MAY_BE_COMPOUND.test(address)
    ? address.replace(COMPOUND_ORDINAL, (_, tens: string, ones: string) => {
        const digit = 2 + TENS.indexOf(tens.toLowerCase())
        return `${digit}${ORDINALS_OF_ONE_DIGIT.get(ones.toLowerCase())}`
      })
    : address

const standardByWord: ReadonlyMap<string, string> = new Map(
  [SUFFIXES, DIRECTIONALS, UNITS, PLACES, ORDINALS].flatMap((table) =>
    Object.entries(table).flatMap(([standard, spellings]) =>
      spellings.split(' ').map((word) => [word, standard] as const),
    ),
  ),
)

const mayHaveStandard = createWordFilter(standardByWord.keys())

const addressForms: ReadonlySet<string> = new Set([...standardByWord].flat())

/** Whether a lower case word has a standard form in addresses, or is one: "street", "st". */
export const isAddressForm = (word: string): boolean => addressForms.has(word)

/** Whether words are written like a street: they begin with a direction or end with a suffix. */
export const isStreet = (words: readonly string[]): boolean =>
  words.length > 1 && (isDirectional(words[0] ?? '') || isStreetSuffix(words.at(-1) ?? ''))

/** Whether two words may be an initial that is also a direction, and a surname: "w romero". */
export const isInitialAndName = ([first = '', second = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && /^[nesw]$/.test(first) && /^\p{L}{2,}$/u.test(second) && !isStreetSuffix(second)

/** The number in "po box 12" or "box 12", or null. */
export const findBoxNumber = (words: readonly string[]): string | null =>
  words.find(
    (word, place) => /^\d/.test(word) && words[place - 1] === 'box' && (place === 1 || words[place - 2] === 'po'),
  ) ?? null

export const isPoBox = (words: readonly string[]): boolean => findBoxNumber(words) !== null

const suffixWords: ReadonlySet<string> = new Set(
  Object.entries(SUFFIXES).flatMap(([standard, spellings]) => [standard, ...spellings.split(' ')]),
)

/** Whether a lower case word can end a street's name: "st", "street", "ct". */
export const isStreetSuffix = (word: string): boolean => suffixWords.has(word)

const directionalWords: ReadonlySet<string> = new Set(Object.entries(DIRECTIONALS).flat())

/** Whether a lower case word is a direction: "n", "north", "southwest". */
export const isDirectional = (word: string): boolean => directionalWords.has(word)

const unitWords: ReadonlySet<string> = new Set(
  Object.entries(UNITS).flatMap(([word, others]) => [word, ...others.split(' ')]),
)

/** Whether a lower case word says that a unit follows: "apt", "unit", "bldg". */
export const isUnit = (word: string): boolean => unitWords.has(word)

/** What follows the designator of a unit: "3", "3b", "b". */
const UNIT_NUMBER = /^(?:\d+\p{L}?|\p{L}\d*)$/u

/** An address without its units: "12", "oak", "st", "apt", "3" → "12", "oak", "st". The same words if there is none after the street. */
export const dropUnits = (words: readonly string[]): readonly string[] => {
  const isNumbered = (place: number) =>
    place > 2 && isUnit(words[place - 1] ?? '') && UNIT_NUMBER.test(words[place] ?? '')
  const isOfUnit = (word: string, place: number) =>
    isNumbered(place) || (place > 1 && isUnit(word) && (place === words.length - 1 || isNumbered(place + 1)))
  return words.some(isOfUnit) ? words.filter((word, place) => !isOfUnit(word, place)) : words
}

/** "county rd 12" and "highway 12" are streets whose names end with a number. */
const NUMBERED_ROUTE =
  /(?:\bhwy|\brte|^(?:county|state|us|township|twp|forest|private|park|ranch|farm to market) (?:rd|trl|ln|loop))$/

/** Whether words are a whole street without a house number: "oak st", "oak st se", and not "county rd", which a number completes. */
export const isWholeStreet = (words: readonly string[]): boolean => {
  const named = isDirectional(words.at(-1) ?? '') ? words.slice(0, -1) : words
  const isNamed = named.length > 1 && isStreetSuffix(named.at(-1) ?? '') && !isHouseNumber(named[0] ?? '')
  return isNamed && !NUMBERED_ROUTE.test(named.map(standardizeWord).join(' '))
}

/** A lower case word as Publication 28 writes it: "street" → "st", "73th" → "73rd". Other words stay. */
export const standardizeWord = (word: string): string => {
  if (isDigit(word.charCodeAt(0))) return ORDINAL_PARTS.test(word) ? correctEnding(word) : word
  return mayHaveStandard(word) ? (standardByWord.get(word) ?? word) : word
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57

const longByStandard: ReadonlyMap<string, string> = new Map(
  [SUFFIXES, UNITS, DIRECTIONALS, PLACES].flatMap((table) =>
    Object.entries(table).flatMap(([standard, spellings]) => {
      const [long = ''] = spellings.split(' ')
      return long.length > standard.length ? [[standard, long] as const] : []
    }),
  ),
)

/** A standard word in full, as in the middle of a street's name: "mdw" → "meadow", and "st" → "saint". Other words stay. */
export const expandWord = (standard: string): string => longByStandard.get(standard) ?? standard

/** The start of an address: "12", "12a", "12-34". */
export const isHouseNumber = (word: string): boolean => /^\d+[a-z]?$/i.test(word) || /^\d+-\d+$/.test(word)

/** Longer numbers are no house numbers. Written as 1e+21, Meilisearch would refuse them. */
const MAX_HOUSE_NUMBER = 999_999_999

/** The house number at the start of an address: 12 for "12a" and "12-34". Null if the word is none. */
export const houseNumberOf = (word: string): number | null => {
  const number = isHouseNumber(word) ? Number.parseInt(word, 10) : null
  return number !== null && number <= MAX_HOUSE_NUMBER ? number : null
}

/** A longer range is a block and a house: "91-1234" in Hawaii. */
const LONGEST_RANGE = 200

/** The last number of a range of house numbers: 1298 for "1296" and "98". Null if the two numbers are no range. */
export const lastOfRange = (first: string, second: string): number | null => {
  const last = second.length < first.length ? first.slice(0, first.length - second.length) + second : second
  const length = Number(last) - Number(first)
  return second !== '' && length > 0 && length <= LONGEST_RANGE ? Number(last) : null
}

/** Abbreviated directions and the endings of ordinals, for regular expressions. */
export const DIRECTION = '[ns][ew]?|[ew]'
export const ORDINAL_ENDING = 'st|nd|rd|th'

const WHOLE_ORDINAL = new RegExp(`^\\d+(?:${ORDINAL_ENDING})$`)

/** "4th". */
export const isOrdinal = (word: string): boolean => WHOLE_ORDINAL.test(word)

const ORDINAL_PARTS = new RegExp(`^(\\d+)(${ORDINAL_ENDING})$`)
const ENDINGS = ['th', 'st', 'nd', 'rd']

/** "73th" → "73rd", "12nd" → "12th". */
const correctEnding = (ordinal: string): string =>
  ordinal.replace(ORDINAL_PARTS, (_, number: string) => {
    const isTeen = number.at(-2) === '1'
    return number + ((isTeen ? undefined : ENDINGS[Number(number.at(-1))]) ?? 'th')
  })

/** Five digits, as in the words of queries and records. */
export const isZip = (word: string): boolean => /^\d{5}$/.test(word)

/** A ZIP code with or without its extension: "97201", "97201-1234". */
export const isZipCode = (text: string): boolean => /^\d{5}(?:-\d{4})?$/.test(text)

/** A record's ZIP code without its extension. Null if it has fewer digits. */
export const shortenZip = (zip: string): string | null => /^\d{5}/.exec(zip)?.[0] ?? null

/** Whether a text ends with a ZIP code that has an extension. */
export const endsWithZipExtension = (text: string): boolean => /\s\d{5}-\d{4}\s*$/.test(text)
