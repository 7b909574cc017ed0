import { Random } from '../../../dev/sample-county/random'
import type { ListRow } from '../../../search/match/list-row'
import { misspellWord } from '../relevance/misspell'
import { type Entry, type Roll, wordsOf } from '../relevance/roll'
import { COMPANY_FORMS, DIRECTION_SPELLINGS, SUFFIX_SPELLINGS, SUFFIXES } from '../relevance/spellings'

/** A row of a list, with the parcels that it means: one (it must match), several (it must be reported as a tie) or none. */
export interface DrawnRow {
  row: ListRow
  meant: ReadonlySet<string>
}

export interface DrawnList {
  kind: string
  rows: DrawnRow[]
}

/** The parts of an address in a list, without those that its writer left out or changed. */
type Parts = Pick<Entry, 'number' | 'direction' | 'streetName' | 'suffix' | 'unit' | 'city' | 'state' | 'zip'>

type Part = keyof Parts

interface Draw {
  roll: Roll
  random: Random
}

/**
 * A kind of address list: what is misspelled, and which parts its rows lack. Parcels that differ only in those parts are all right answers.
 */
interface AddressKind {
  kind: string
  lacks: (draw: Draw, entry: Entry) => readonly Part[] | null
  change?: (draw: Draw, parts: Parts) => Parts | null
  write?: (draw: Draw, parts: Parts, entry: Entry) => ListRow | null
}

const NOTHING: readonly Part[] = []
const has = (part: Part) => (_: Draw, entry: Entry) => (entry[part] === '' ? null : [part])

const misspellStreet = ({ roll, random }: Draw, parts: Parts): Parts | null => {
  const streetName = misspellWord(random, parts.streetName, (word) => roll.words.has(word))
  return streetName === null ? null : { ...parts, streetName }
}

const staleSuffix = ({ random }: Draw, parts: Parts): Parts | null => {
  const others = Object.keys(SUFFIXES).filter((suffix) => suffix !== parts.suffix && suffix.length < 4)
  return parts.suffix === '' ? null : { ...parts, suffix: random.pick(others) }
}

const fullAddress = ({ number, direction, streetName, suffix, unit }: Parts, designator = '#'): string =>
  [number, direction, streetName, suffix, unit === '' ? '' : `${designator}${unit}`].filter(Boolean).join(' ')

const titleCase = (text: string): string => text.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase())

const writeColumns = ({ random }: Draw, parts: Parts): ListRow => {
  const spelled = {
    ...parts,
    direction: random.chance(0.3) ? (DIRECTION_SPELLINGS[parts.direction] ?? parts.direction) : parts.direction,
    suffix: random.chance(0.5) ? (SUFFIX_SPELLINGS[parts.suffix] ?? parts.suffix) : parts.suffix,
  }
  const cased = random.pick([titleCase, (text: string) => text.toUpperCase(), (text: string) => text])
  const address = cased(fullAddress(spelled, random.pick(['#', 'Apt ', 'Unit ', '# '])))
  return withoutEmpty({
    address,
    city: cased(parts.city),
    state: parts.state.toUpperCase(),
    zip: writeZip(random, parts.zip),
  })
}

const writeZip = (random: Random, zip: string): string =>
  zip !== '' && random.chance(0.2) ? `${zip}-${1_000 + random.below(9_000)}` : zip

const writeOneLine = (draw: Draw, parts: Parts): ListRow => {
  const { address = '' } = writeColumns(draw, parts)
  const { city, state, zip } = parts
  const comma = draw.random.chance(0.7) ? ', ' : ' '
  const line = [address, titleCase(city), [state.toUpperCase(), zip].filter(Boolean).join(' ')].filter(Boolean)
  return { address: line.join(comma) }
}

const swapColumns = (draw: Draw, parts: Parts, entry: Entry): ListRow | null => {
  const row: ListRow = { ...writeColumns(draw, parts), ...withoutEmpty({ owner: entry.name }) }
  const pairs = [
    ['address', 'owner'],
    ['city', 'zip'],
    ['address', 'city'],
    ['city', 'state'],
    ['owner', 'city'],
  ] as const
  const possible = pairs.filter(([one, other]) => row[one] !== undefined && row[other] !== undefined)
  if (possible.length === 0) return null
  const [one, other] = draw.random.pick(possible)
  return { ...row, [one]: row[other], [other]: row[one] }
}

const withoutEmpty = (row: ListRow): ListRow =>
  Object.fromEntries(Object.entries(row).filter(([, text]) => text !== undefined && text.trim() !== ''))

const ADDRESS_KINDS: readonly AddressKind[] = [
  { kind: 'clean addresses', lacks: () => NOTHING },
  { kind: 'addresses in one column', lacks: () => NOTHING, write: writeOneLine },
  { kind: 'addresses without city and ZIP', lacks: () => ['city', 'zip', 'state'] },
  { kind: 'typo in the street', lacks: () => NOTHING, change: misspellStreet },
  { kind: 'stale suffix', lacks: has('suffix'), change: staleSuffix },
  { kind: 'missing suffix', lacks: has('suffix') },
  { kind: 'missing direction', lacks: has('direction') },
  { kind: 'missing unit', lacks: has('unit') },
  { kind: 'swapped columns', lacks: () => NOTHING, write: swapColumns },
  {
    kind: 'typo, no city, one column',
    lacks: () => ['city', 'zip', 'state'],
    change: misspellStreet,
    write: (draw, parts) => writeOneLine(draw, parts),
  },
  {
    kind: 'typo and missing suffix',
    lacks: has('suffix'),
    change: (draw, parts) => misspellStreet(draw, { ...parts, suffix: '' }),
  },
]

const PARTS: readonly Part[] = ['number', 'direction', 'streetName', 'suffix', 'unit', 'city', 'state', 'zip']

const keyWithout = (entry: Parts, lacking: readonly Part[]): string =>
  PARTS.map((part) => (lacking.includes(part) ? '' : entry[part])).join('|')

const lacksUnit = (entry: Entry, lacking: readonly Part[]): boolean => entry.unit === '' || lacking.includes('unit')

/** The parcels by what a list says about their addresses. A parcel without a unit shares its address with all units. */
const groupBy = (entries: readonly Entry[], keyOf: (entry: Entry) => string): Map<string, Set<string>> => {
  const groups = new Map<string, Set<string>>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const ids = groups.get(key)
    if (ids === undefined) groups.set(key, new Set([entry.id]))
    else ids.add(entry.id)
  }
  return groups
}

const drawAddresses = (
  draw: Draw,
  { kind, lacks, change, write = writeColumns }: AddressKind,
  count: number,
): DrawnList => {
  const { roll, random } = draw
  const entries = roll.parcels.filter(({ number, streetName }) => number !== '' && streetName !== '')
  const groups = new Map<string, Map<string, Set<string>>>()
  const names = new Map(entries.map(({ id, name }) => [id, name]))
  const addresses = new Set(entries.map((entry) => keyWithout(entry, ['city', 'state', 'zip'])))
  const rows: DrawnRow[] = []
  for (let attempt = 0; rows.length < count && attempt < count * 20 && entries.length > 0; attempt++) {
    const entry = random.pick(entries)
    const lacking = lacks(draw, entry)
    if (lacking === null) continue
    const left = lacksUnit(entry, lacking) ? [...lacking, 'unit' as const] : lacking
    const name = left.join(',')
    const group = groups.get(name) ?? groupBy(entries, (one) => keyWithout(one, left))
    groups.set(name, group)
    const meant = group.get(keyWithout(entry, left)) ?? new Set([entry.id])
    const kept = Object.fromEntries(PARTS.map((part) => [part, lacking.includes(part) ? '' : entry[part]])) as Parts
    const parts =
      change === undefined
        ? kept
        : change(draw, { ...kept, ...(kind === 'stale suffix' ? { suffix: entry.suffix } : {}) })
    // If the changed address belongs to another parcel, that parcel is the right answer.
    const isOther = change !== undefined && parts !== null && addresses.has(keyWithout(parts, ['city', 'state', 'zip']))
    const row = parts === null || isOther ? null : write(draw, parts, entry)
    if (row === null) continue
    const isWithOwner = entry.name !== '' && Object.values(row).includes(entry.name)
    rows.push({ row, meant: isWithOwner ? new Set([...meant].filter((id) => names.get(id) === entry.name)) : meant })
  }
  return { kind, rows }
}

/** Addresses that are not in the roll: a number that the street does not have, or a street that does not exist. */
const drawAbsent = (draw: Draw, count: number): DrawnList => {
  const { roll, random } = draw
  const entries = roll.parcels.filter(({ number, streetName }) => /^\d+$/.test(number) && streetName !== '')
  const numbers = groupBy(entries, ({ number, streetName }) => `${number} ${streetName}`)
  const ranges = roll.parcels.filter(({ number }) => number.includes('-'))
  const rows: DrawnRow[] = []
  for (let attempt = 0; rows.length < count && attempt < count * 20 && entries.length > 0; attempt++) {
    const entry = random.pick(entries)
    const number = String(Number(entry.number) + 2 * (1 + random.below(200)))
    if (numbers.has(`${number} ${entry.streetName}`)) continue
    if (ranges.some((one) => one.streetName === entry.streetName && isWithin(Number(number), one.number))) continue
    rows.push({ row: writeColumns(draw, { ...entry, number, unit: '' }), meant: new Set() })
  }
  return { kind: 'addresses that no parcel has', rows }
}

const isWithin = (number: number, range: string): boolean => {
  const [from = 0, to = 0] = range.split('-').map((part) => Number.parseInt(part, 10))
  return number >= from && number <= to
}

const spellIdOut = (random: Random, id: string): string => {
  const spellings = [
    id.replace(/[^\p{L}\p{N}]+/gu, ''),
    id.replace(/[^\p{L}\p{N}]+/gu, ' '),
    id.replace(/[^\p{L}\p{N}]+/gu, '.'),
    id.replace(/(?<!\d)0+(?=\d)/g, ''),
    id.toLowerCase(),
    `APN: ${id}`,
    ` ${id} `,
  ]
  return random.pick(spellings)
}

const shortKey = (id: string): string =>
  id
    .toLowerCase()
    .replace(/(?<!\d)0+(?=\d)/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
const groupedKey = (id: string): string =>
  wordsOf(id)
    .map((group) => group.replace(/(?<!\d)0+(?=\d)/g, ''))
    .join('-')
const wholeKey = (id: string): string => id.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

const drawIds = ({ roll, random }: Draw, count: number): DrawnList => {
  const wholes = groupBy(roll.parcels, ({ id }) => wholeKey(id))
  const shorts = groupBy(roll.parcels, ({ id }) => shortKey(id))
  const grouped = groupBy(roll.parcels, ({ id }) => groupedKey(id))
  // An id without a digit is not an id.
  const numbered = roll.parcels.filter(({ id }) => /\d/.test(id))
  const rows = Array.from({ length: numbered.length === 0 ? 0 : count }, () => {
    const { id } = random.pick(numbered)
    const text = spellIdOut(random, id)
    const bare = text.replace('APN: ', '').trim()
    // If the id still has its punctuation, it belongs to only one parcel.
    const ofBorders = /[^\p{L}\p{N}]/u.test(bare) ? grouped.get(groupedKey(bare)) : undefined
    const meant = ofBorders ?? wholes.get(wholeKey(bare)) ?? shorts.get(shortKey(bare)) ?? new Set([id])
    return { row: { parcel_id: text }, meant }
  })
  return { kind: 'parcel ids in other spellings', rows }
}

const changeName = ({ roll, random }: Draw, name: string): string => {
  const words = name.split(' ')
  const forms = words.map((word) => (random.chance(0.5) ? random.pick(COMPANY_FORMS[word] ?? [word]) : word))
  const spelled = forms.join(' ')
  return misspellWord(random, spelled, (word) => roll.words.has(word)) ?? spelled
}

/** Names that differ only in punctuation or word order belong to one owner. */
const nameKey = (name: string): string =>
  wordsOf(name.replace(/\./g, ''))
    .filter((word) => word !== 'and' && word !== 'of')
    .toSorted()
    .join(' ')

const drawOwners = (draw: Draw, kind: string, count: number, change: (name: string) => string): DrawnList => {
  const named = draw.roll.parcels.filter(({ name }) => name.split(' ').length > 1)
  const groups = groupBy(named, ({ name }) => nameKey(name))
  const rows = Array.from({ length: named.length === 0 ? 0 : count }, () => {
    const { name } = draw.random.pick(named)
    return { row: { owner: change(name) }, meant: groups.get(nameKey(name)) ?? new Set<string>() }
  })
  return { kind, rows }
}

/** Shared addresses: each row must be reported as a tie. */
const drawShared = (draw: Draw, count: number): DrawnList => {
  const entries = draw.roll.parcels.filter(({ number, streetName }) => number !== '' && streetName !== '')
  const groups = groupBy(entries, (entry) => keyWithout(entry, []))
  const shared = entries.filter((entry) => (groups.get(keyWithout(entry, []))?.size ?? 0) > 1)
  const rows = Array.from({ length: shared.length === 0 ? 0 : count }, () => {
    const entry = draw.random.pick(shared)
    return { row: writeColumns(draw, entry), meant: groups.get(keyWithout(entry, [])) ?? new Set<string>() }
  })
  return { kind: 'shared addresses', rows }
}

/** Lists of every kind that the roll has records for, `count` rows each. The same seed gives the same lists. */
export const drawLists = (roll: Roll, { count, seed }: { count: number; seed: number }): DrawnList[] => {
  const drawFor = (place: number): Draw => ({ roll, random: new Random(seed, place) })
  const lists = [
    ...ADDRESS_KINDS.map((kind, place) => drawAddresses(drawFor(place), kind, count)),
    drawShared(drawFor(100), count),
    drawAbsent(drawFor(101), count),
    drawIds(drawFor(102), count),
    drawOwners(drawFor(103), 'owners', count, (name) => name),
    ...[drawFor(104)].map((draw) => drawOwners(draw, 'owners with typos', count, (name) => changeName(draw, name))),
  ]
  return lists.filter(({ rows }) => rows.length > 0)
}
