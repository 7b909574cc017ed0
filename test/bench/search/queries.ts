/*
 * Known-item queries: what people type to find a parcel that exists. Each class differs from the roll in one way.
 */
import { parcelKey } from '../../../search/query/text'

export interface RollEntry {
  sourceParcelId: string
  ownerName: string
  situsAddress: string
  situsCity: string
  lon: number
  lat: number
}
export type Roll = readonly RollEntry[]

export interface KnownItem {
  /** Empty: this parcel has no value to search for. */
  q: string
  kind: 'parcel' | 'entity'
  near?: { lat: number; lon: number }
  wanted: string
  accept: (hit: { ownerName: string | null; situsAddress: string | null; sourceParcelId?: string }) => boolean
}

type Random = () => number

/** mulberry32: small, seeded, the same on every machine. */
const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** One character dropped, doubled, changed, or two neighbours swapped; never the first. The space between words can be hit. */
export const addTypo = (random: Random, text: string): string => {
  if (text.length < 3) return text
  for (;;) {
    const at = 1 + Math.floor(random() * (text.length - 1))
    const [before, here, after] = [text.slice(0, at), text[at] ?? '', text.slice(at + 1)]
    const kind = Math.floor(random() * 4)
    const typed =
      kind === 0
        ? before + after
        : kind === 1
          ? before + here + here + after
          : kind === 2
            ? before + pick(random, /\d/.test(here) ? [...'0123456789'] : [...LETTERS]) + after
            : before + (after[0] ?? '') + here + after.slice(1)
    if (typed !== text && typed.trim() === typed) return typed
  }
}

const DIRECTIONS: Record<string, string> = {
  n: 'north',
  s: 'south',
  e: 'east',
  w: 'west',
  ne: 'northeast',
  nw: 'northwest',
  se: 'southeast',
  sw: 'southwest',
}
const SUFFIXES: Record<string, string> = {
  st: 'street',
  ave: 'avenue',
  dr: 'drive',
  rd: 'road',
  ct: 'court',
  ln: 'lane',
  pl: 'place',
  blvd: 'boulevard',
  way: 'wy',
  cir: 'circle',
  ter: 'terrace',
  pkwy: 'parkway',
  hwy: 'highway',
  loop: 'lp',
}
const backwards = (table: Record<string, string>) =>
  Object.fromEntries(Object.entries(table).map(([short, long]) => [long, short]))
const DIRECTION_SPELLINGS = { ...DIRECTIONS, ...backwards(DIRECTIONS) }
const SUFFIX_SPELLINGS = { ...SUFFIXES, ...backwards(SUFFIXES) }
const UNIT = /\s(?:#|apt|unit|ste|suite)\s?(\w+)$/
const COMPANY_FORM = /,? (llc|inc|corp|ltd|lp|co)$/

const respell = (address: string, table: Record<string, string>): string | null => {
  const words = address.split(' ')
  const at = words.findLastIndex((word) => table[word] !== undefined)
  if (at < 1) return null
  return words.map((word, index) => (index === at ? (table[word] ?? word) : word)).join(' ')
}

/** The classes. Each makes a query from an entry, or returns null when the entry has no such value. */
type Make = (random: Random, entry: { name: string; address: string; city: string; entry: RollEntry }) => string | null
type Accepts = 'name' | 'address' | 'id' | 'entity' | 'place'

const CLASSES: readonly (readonly [title: string, accepts: Accepts, make: Make])[] = [
  ['owner name', 'name', (_, { name }) => name],
  ['owner name + city', 'name', (_, { name, city }) => `${name} ${city}`.trim()],
  ['situs address', 'address', (_, { address }) => address],
  ['first 60 % of an address', 'address', (_, { address }) => address.slice(0, Math.ceil(address.length * 0.6))],
  ['owner name, 1 typo', 'name', (random, { name }) => addTypo(random, name)],
  ['owner name, 2 typos', 'name', (random, { name }) => addTypo(random, addTypo(random, name))],
  [
    'owner name, first letter wrong',
    'name',
    (random, { name }) =>
      pick(
        random,
        [...LETTERS].filter((letter) => letter !== name[0]),
      ) + name.slice(1),
  ],
  ['address, 1 typo', 'address', (random, { address }) => addTypo(random, address)],
  ['owner name, words reversed', 'name', (_, { name }) => reverse(name)],
  ['4 letters of name + number', 'name', (_, { name, address }) => surnameAndNumber(name, address)],
  ['direction spelled otherwise', 'address', (_, { address }) => respell(address, DIRECTION_SPELLINGS)],
  ['house number, 2 digits swapped', 'address', (random, { address }) => swapDigits(random, address)],
  ['suffix spelled otherwise', 'address', (_, { address }) => respell(address, SUFFIX_SPELLINGS)],
  ['unit written another way', 'address', (random, { address }) => rewriteUnit(random, address)],
  ['a space missing or added', 'name', (random, { name }) => moveSpace(random, name)],
  ['last word cut at 70 %', 'name', (_, { name }) => cutLastWord(name)],
  [
    'owner name + state',
    'name',
    (random, { name }) => (name === '' ? null : `${name} ${pick(random, ['or', 'oregon', 'OR'])}`),
  ],
  [
    'company without its form',
    'name',
    (_, { name }) => (COMPANY_FORM.test(name) ? name.replace(COMPANY_FORM, '') : null),
  ],
  ['parcel id', 'id', (random, { entry }) => punctuate(random, entry.sourceParcelId.toLowerCase())],
  ['entity, 1 typo', 'entity', (random, { name }) => (COMPANY_FORM.test(name) ? addTypo(random, name) : null)],
  [
    'surname at a place',
    'place',
    (_, { name }) => (/^[a-z]{3,} [a-z]/.test(name) ? (name.split(' ')[0] ?? null) : null),
  ],
]

const reverse = (name: string): string | null => {
  const words = name.split(' ')
  return words.length > 1 ? words.toReversed().join(' ') : null
}

const surnameAndNumber = (name: string, address: string): string | null => {
  const number = address.split(' ')[0] ?? ''
  return /^\d+$/.test(number) && /^[a-z]{4}/.test(name) ? `${name.slice(0, 4)} ${number}` : null
}

const swapDigits = (random: Random, address: string): string | null => {
  const number = /^\d{2,}(?= )/.exec(address)?.[0] ?? ''
  const places = [...number].flatMap((digit, at) => (at > 0 && digit !== number[at - 1] ? [at] : []))
  if (places.length === 0) return null
  const at = pick(random, places)
  return number.slice(0, at - 1) + number[at] + number[at - 1] + address.slice(at + 1)
}

const rewriteUnit = (random: Random, address: string): string | null => {
  const unit = UNIT.exec(address)
  if (unit === null) return null
  const base = address.slice(0, unit.index)
  const others = [`#${unit[1]}`, `apt ${unit[1]}`, `unit ${unit[1]}`, `suite ${unit[1]}`, `# ${unit[1]}`]
  return `${base} ${pick(
    random,
    others.filter((other) => ` ${other}` !== unit[0]),
  )}`
}

const moveSpace = (random: Random, name: string): string | null => {
  if (random() < 0.5) {
    const spaces = [...name].flatMap((letter, at) => (letter === ' ' ? [at] : []))
    if (spaces.length === 0) return null
    const at = pick(random, spaces)
    return name.slice(0, at) + name.slice(at + 1)
  }
  const inner = [...name].flatMap((_, at) => (at > 1 && /[a-z]{2}/.test(name.slice(at - 1, at + 1)) ? [at] : []))
  if (inner.length === 0) return null
  const at = pick(random, inner)
  return `${name.slice(0, at)} ${name.slice(at)}`
}

const cutLastWord = (name: string): string | null => {
  const last = name.split(' ').at(-1) ?? ''
  if (last.length < 3 || last === name) return null
  return name.slice(0, name.length - last.length + Math.ceil(last.length * 0.7))
}

const punctuate = (random: Random, id: string): string => {
  const bare = id.replace(/[^a-z0-9]/g, '')
  if (random() < 0.5 || bare.length < 4) return bare
  const at = 1 + Math.floor(random() * (bare.length - 2))
  return `${bare.slice(0, at)}-${bare.slice(at)}`
}

const same = (a: string | null, b: string): boolean => a !== null && a.trim().toLowerCase() === b.trim().toLowerCase()

/**
 * Queries of each class for the same `count` random parcels. Some have no address; no engine can find those by address. Classes that
 * need a value which only some parcels have (a unit, a direction, a company form) continue through the roll until they have `count`
 * queries. The same seed gives the same queries.
 */
export const drawQueries = (roll: Roll, seed: number, count: number): Map<string, KnownItem[]> => {
  const order = shuffle(
    createRandom(seed),
    roll.filter(({ ownerName, situsAddress }) => ownerName.length > 3 || situsAddress.length > 3),
  )
  const drawn = new Map<string, KnownItem[]>()
  for (const [index, [title, accepts, make]] of CLASSES.entries()) {
    const random = createRandom(seed * 1_000 + index)
    const items: KnownItem[] = []
    for (const [place, entry] of order.entries()) {
      if (items.length >= count) break
      const fields = {
        name: clean(entry.ownerName),
        address: clean(entry.situsAddress),
        city: clean(entry.situsCity),
        entry,
      }
      const isUnaskable = accepts === 'address' && fields.address === '' && place < count && !OF_SOME.has(title)
      const q = isUnaskable ? '' : make(random, fields)
      if (isUnaskable || (q !== null && q.length >= 2)) items.push(createItem(q ?? '', accepts, entry))
    }
    drawn.set(title, items)
  }
  return drawn
}

/** Classes that not every address has a query for. */
const OF_SOME = new Set([
  'direction spelled otherwise',
  'house number, 2 digits swapped',
  'suffix spelled otherwise',
  'unit written another way',
])

/** People do not type the trailing "&" of a roll, or capitals. */
const clean = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s*&\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()

const createItem = (q: string, accepts: Accepts, entry: RollEntry): KnownItem => {
  const byAccepts: Record<Accepts, KnownItem['accept']> = {
    name: (hit) => same(hit.ownerName, entry.ownerName),
    entity: (hit) => same(hit.ownerName, entry.ownerName),
    place: (hit) => same(hit.ownerName, entry.ownerName),
    address: (hit) => same(hit.situsAddress, entry.situsAddress),
    // Without punctuation, several parcels may have the same id.
    id: ({ sourceParcelId = '' }) =>
      q === entry.sourceParcelId.toLowerCase()
        ? sourceParcelId === entry.sourceParcelId
        : parcelKey(sourceParcelId) === parcelKey(entry.sourceParcelId),
  }
  const wanted = accepts === 'address' ? entry.situsAddress : accepts === 'id' ? entry.sourceParcelId : entry.ownerName
  return {
    q,
    kind: accepts === 'entity' ? 'entity' : 'parcel',
    wanted: `${wanted} (${accepts === 'address' ? entry.ownerName : entry.situsAddress})`,
    accept: byAccepts[accepts],
    ...(accepts === 'place' ? { near: { lat: entry.lat, lon: entry.lon } } : {}),
  }
}

const shuffle = <Item>(random: Random, items: readonly Item[]): Item[] => {
  const shuffled = [...items]
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    const [a, b] = [shuffled[index] as Item, shuffled[other] as Item]
    shuffled[index] = b
    shuffled[other] = a
  }
  return shuffled
}
