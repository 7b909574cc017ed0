import type { ColumnRole } from './column-names'

/** What the words in names of columns mean. `filler` adds nothing, and a column with `other` is never a field. */
const WORDS: Readonly<Record<string, string>> = {
  owner: 'own owner owners ownr py',
  mail: 'mail mailing mailg pstl postal billing bill taxpayer taxpa gl',
  situs: 'situs site sit loc location phy phys physical premise e911',
  property: 'prop property',
  parcel: 'parcel par parc prcl pcl',
  name: 'name names nam nme nm',
  address: 'address adress addr addrs adrs add adr',
  line: 'line',
  city: 'city cty town municipality munic muni',
  state: 'state stat stt',
  st: 'st',
  zip: 'zip zipcode postcode',
  street: 'street str strt',
  prefix: 'prefix pfx predir prefx',
  suffix: 'suffix sfx sufix',
  full: 'full whole all concat display label',
  id: 'id ident identifier num numb number no nbr nr',
  pin: 'pin apn',
  account: 'account acct',
  schedule: 'schedule sched',
  tax: 'tax',
  land: 'land lnd',
  lot: 'lot',
  improvement: 'imp imps impr imprv improv improve improvement improvements bld bldg building buildings structure',
  value: 'value values val vals valu vl lv flv',
  total: 'total totl tot ttl real',
  assessed: 'assessed assess assd ased asmt assmt asd assessment av',
  market: 'market mkt mrkt appraised appr apprsd appraisal apprais just nfm fmv mv',
  homestead: 'hstd homestead homesite hs',
  non: 'non',
  acre: 'acre acres acreage',
  sqft: 'sqft squarefeet sqfeet',
  area: 'area size',
  unit: 'unit units uom',
  gis: 'gis calc',
  legal: 'legal lgl',
  deed: 'deed deeded',
  use: 'use luc lu',
  class: 'class cls',
  category: 'category cat',
  type: 'type typ',
  zone: 'zone zoning',
  code: 'code cd cde',
  desc: 'desc des dsc dscrp description descr',
  filler: 'base local current curr cur cnt roll ll 1',
  second: '2 second',
  third: '3 third',
  other: `prev previous prior pre prv pr last old orig original former hist history new net low sale sales sold price transfer doc document
    year yr yrs date dt exempt exemption exemptions exemp pct percent ratio school district dist rate book page src source url fee lender ag
    agric agricultural timber personal pers cap change chg taxable txbl object objectid fid fips global shape tract block blk subdivision subdiv
    county neighborhood neighbor nbhd hood country phone email occupied bath bed floor floors room story built blt amount amt owed due paid balance`,
}

const MEANINGS = new Map(
  Object.entries(WORDS).flatMap(([meaning, words]) => words.split(/\s+/).map((word) => [word, meaning] as const)),
)

/** Longer pieces are no words. */
const MAX_PIECE_CHARACTERS = 40

/** The meanings of the words in a column's name, and how many pieces of it are no known words. */
export interface ColumnWords {
  meanings: ReadonlySet<string>
  /** Words that add nothing, and pieces that are no words. */
  extras: number
  unknown: number
}

/** `asedValLnd`, `ASED_VAL_LND` and `ASEDVALLND` have the meanings assessed, value and land. */
export const readWords = (name: string): ColumnWords => {
  const pieces =
    name
      .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1_')
      .toLowerCase()
      .match(/e911|[a-z]+|\d+/g) ?? []
  const meanings = new Set<string>()
  let extras = 0
  let unknown = 0
  for (const piece of pieces) {
    const words = /^\d+$/.test(piece) ? [piece] : splitWords(piece)
    if (words === null) unknown++
    for (const word of words ?? []) {
      const meaning = MEANINGS.get(word) ?? 'filler'
      if (meaning === 'filler') extras++
      else meanings.add(meaning)
    }
  }
  return { meanings, extras: extras + unknown, unknown }
}

/** The fewest known words that together are the piece. Null: there are none. */
const splitWords = (piece: string): string[] | null => {
  if (MEANINGS.has(piece)) return [piece]
  if (piece.length > MAX_PIECE_CHARACTERS) return null
  const best: (string[] | null)[] = [[]]
  for (let end = 1; end <= piece.length; end++) {
    best[end] = null
    for (let start = 0; start < end; start++) {
      const [before, word] = [best[start] ?? null, piece.slice(start, end)]
      if (before === null || !MEANINGS.has(word)) continue
      if (best[end] == null || before.length + 1 < (best[end] as string[]).length) best[end] = [...before, word]
    }
  }
  return best[piece.length] ?? null
}

/** What the names of a role mean. */
interface Pattern {
  /** Lists of meanings, separated by semicolons, the best first. A name has all meanings of one list. With `=`, it has no unknown word. */
  is: string
  /** Meanings that it may have, too. With any other one, it is not of this role. */
  and: string
}

const STREET_PARTS = 'situs property parcel address street'

const PATTERNS: Partial<Record<ColumnRole, Pattern>> = {
  id: {
    is: 'parcel id; property id; schedule id; account id; pin; id',
    and: 'parcel property account schedule tax state gis pin',
  },
  owner: { is: 'owner name; =owner; =mail name', and: 'parcel property full' },
  otherOwner: { is: 'owner name second; =owner second', and: 'parcel property full' },
  mailAddress: {
    is: 'mail address; owner address; mail line; =owner street; =mail street',
    and: 'owner mail line full street',
  },
  mailAddress2: { is: 'mail address second; owner address second; mail line second', and: 'owner mail line' },
  mailAddress3: { is: 'mail address third; owner address third; mail line third', and: 'owner mail line' },
  mailCity: { is: 'mail city; owner city', and: 'owner mail address name state st zip' },
  mailState: { is: 'mail state; owner state; =mail st; =owner address st', and: 'owner mail address code' },
  mailZip: { is: 'mail zip; owner zip', and: 'owner mail address code id' },
  situsAddress: {
    is: 'situs address; parcel address; property address; situs full; =address full; =address',
    and: 'situs property parcel line full street',
  },
  situsNumber: { is: '=situs street id; =street id; =situs address id', and: STREET_PARTS },
  situsDirection: { is: '=street prefix', and: STREET_PARTS },
  situsStreet: { is: '=street name', and: STREET_PARTS },
  situsType: { is: '=street suffix; =street type', and: STREET_PARTS },
  situsCity: {
    is: 'situs city; property city; parcel city; =address city; =city name',
    and: 'situs property parcel address name',
  },
  situsState: {
    is: 'situs state; property state; parcel state; =address state',
    and: 'situs property parcel address code',
  },
  situsZip: { is: 'situs zip; property zip; parcel zip; =address zip', and: 'situs property parcel address code id' },
  landUse: {
    is: 'use desc; class desc; land use; property class; property category; property type; parcel class; parcel type; land type; =use; =class',
    and: 'code desc land property parcel state tax class use category type name id',
  },
  zoningCode: { is: 'zone', and: 'code class id' },
  zoningDescription: { is: 'zone desc; zone name', and: 'code class' },
  acres: { is: 'acre', and: 'land lot property parcel total gis legal deed area assessed tax mail' },
  squareFeet: { is: 'land sqft; lot sqft; parcel sqft', and: 'land lot parcel property area gis total' },
  assessedValue: {
    is: 'total assessed; assessed value; total market; market value; total value',
    and: 'value total assessed market full property parcel tax',
  },
  landValue: {
    is: 'land assessed; land market; land value',
    and: 'value total assessed market full property parcel tax',
  },
  improvementValue: {
    is: 'improvement assessed; improvement market; improvement value',
    and: 'value total assessed market full property parcel tax',
  },
}

/** How well a name fits a role: the lower, the better. Null: it does not fit. */
export const rankWords = (role: ColumnRole, { meanings, extras, unknown }: ColumnWords): number | null => {
  const pattern = PATTERNS[role]
  if (pattern === undefined) return null
  const allowed = new Set(pattern.and.split(' '))
  const index = pattern.is.split('; ').findIndex((text) => {
    const needed = text.replace('=', '').split(' ')
    if (text.startsWith('=') && unknown > 0) return false
    return (
      needed.every((meaning) => meanings.has(meaning)) &&
      [...meanings].every((meaning) => needed.includes(meaning) || allowed.has(meaning))
    )
  })
  return index === -1 ? null : index + extras / 100
}
