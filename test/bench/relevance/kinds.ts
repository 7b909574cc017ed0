import type { Random } from '../../../dev/sample-county/random'
import * as misspell from './misspell'
import { type Entry, keyOf, pairOf, type Roll, wordsOf } from './roll'
import {
  COMPANY_FORMS,
  DIRECTION_SPELLINGS,
  ORDINALS,
  PREFIX_SPELLINGS,
  STATE_NAMES,
  SUFFIX_SPELLINGS,
  SUFFIXES,
  sayNumber,
  TRUST_WORDS,
} from './spellings'

/** One way in which people type a search for a record that exists. */
export interface Kind {
  title: string
  /** Makes a query for a record. Null: not for this record. */
  make: (entry: Entry, random: Random, roll: Roll) => string | null
  /** Whether a hit is what the query means. */
  accepts: (hit: Entry, entry: Entry, q: string) => boolean
  /** Default: parcels. */
  of?: 'companies'
  /** The user looks at a map of the record's surroundings. */
  near?: boolean
}

type Make = Kind['make']
type Accepts = Kind['accepts']

const sameName: Accepts = (hit, entry) => hit.name === entry.name
const sameAddress: Accepts = (hit, entry) => hit.address === entry.address
const sameStreet: Accepts = (hit, entry) => hit.street === entry.street
const sameId: Accepts = (hit, entry) => hit.id === entry.id
const sameKey: Accepts = (hit, entry) => hit.idKey === entry.idKey
const both =
  (...all: Accepts[]): Accepts =>
  (hit, entry, q) =>
    all.every((accepts) => accepts(hit, entry, q))
const sameCity: Accepts = (hit, entry) => hit.city === entry.city
const sameZip: Accepts = (hit, entry) => hit.zip === entry.zip
const hasWords = (text: string, words: readonly string[]): boolean => {
  const own = wordsOf(text)
  return words.every((word) => own.includes(word))
}
const nameHasPerson: Accepts = (hit, entry) => hasWords(hit.name, wordsOf(personOf(entry)?.join(' ') ?? entry.name))

const address = (title: string, make: Make, accepts: Accepts = sameAddress): Kind => ({
  title,
  make: (entry, random, roll) => (entry.number === '' || entry.streetName === '' ? null : make(entry, random, roll)),
  accepts,
})
const owner = (title: string, make: Make, accepts: Accepts = sameName): Kind => ({
  title,
  make: (entry, random, roll) => (entry.name.length < 4 ? null : make(entry, random, roll)),
  accepts,
})
const person = (
  title: string,
  make: (names: string[], entry: Entry, random: Random, roll: Roll) => string | null,
  accepts: Accepts = sameName,
): Kind => ({
  title,
  make: (entry, random, roll) => {
    const names = personOf(entry)
    return names === null ? null : make(names, entry, random, roll)
  },
  accepts,
})
const company = (title: string, make: Make, accepts: Accepts = sameName): Kind => ({
  title,
  make: (entry, random, roll) => (formOf(entry.name) === null ? null : make(entry, random, roll)),
  accepts,
})
const id = (title: string, make: Make, accepts: Accepts = sameKey): Kind => ({
  title,
  make: (entry, random, roll) => (entry.idKey.length < 4 ? null : make(entry, random, roll)),
  accepts,
})

const NOT_A_PERSON =
  /\b(of|the|city|county|state|district|trust|tr|ttee|trustees?|bank|church|school|llc|l\.?l\.?c|inc|corp|co|ltd|lp|llp|pc|company|homes?|properties|assoc|association|owners?|estates?|investments?|holdings?|university|college|housing|unknown|dev|development|partners|rentals|realty|est|et|al|life|usa|america)\b|\d/

/** "SMITH JOHN A & MARY" → ["smith", "john", "a"]: the first owner, surname first as in most rolls. Null if it is not a person. */
const personOf = ({ name }: Entry): string[] | null => {
  if (NOT_A_PERSON.test(name)) return null
  const words = (name.split(/ & |, /)[0] ?? '').split(' ')
  const isName =
    words.length >= 2 && words.length <= 3 && /^[a-z'-]{3,}$/.test(words[0] ?? '') && /^[a-z]{2,}$/.test(words[1] ?? '')
  return isName ? words : null
}

/** What people call a place, while the record has another name of its owner. */
const PLACE_WORDS =
  'college brewery stadium headquarters warehouse library clinic garage cinema factory pharmacy supermarket playground'.split(
    ' ',
  )

/** The legal form at the end of a company's name. */
const formOf = (name: string): string | null =>
  Object.keys(COMPANY_FORMS)
    .toSorted((a, b) => b.length - a.length)
    .find((form) => name.endsWith(` ${form}`)) ?? null

/** Unless the text belongs to another record, which would then rightly be first. */
const unless = (taken: ReadonlySet<string>, text: string | null): string | null =>
  text === null || taken.has(text) ? null : text

const respell = (text: string, table: Readonly<Record<string, string>>, places: 'first' | 'last'): string | null => {
  const words = text.split(' ')
  const isWanted = (word: string, index: number) => index > 0 && table[word] !== undefined
  const at = places === 'last' ? words.findLastIndex(isWanted) : words.findIndex(isWanted)
  return at < 0 ? null : words.map((word, index) => (index === at ? (table[word] ?? word) : word)).join(' ')
}

const join = (...parts: string[]): string => parts.filter((part) => part !== '').join(' ')

const ABBREVIATED_LETTERS = 4

/** "77 massachusetts ave" → "77 mass ave". */
const abbreviateStreet = ({ address, streetName, suffix }: Entry): string | null =>
  suffix === '' || streetName.includes(' ') || streetName.length < ABBREVIATED_LETTERS + 3
    ? null
    : address.replace(streetName, streetName.slice(0, ABBREVIATED_LETTERS))

/** Several streets may have the same abbreviation. */
const sameAbbreviation: Accepts = (hit, entry) => abbreviateStreet(hit) === abbreviateStreet(entry)

/** "689 massachusetts ave" → "690 mass ave", if there is no such house. */
const abbreviateWithoutHouse: Make = (entry, _, { addresses }) => {
  const next = String(Number(entry.number) + 1)
  const abbreviated = abbreviateStreet(entry)
  return abbreviated === null || addresses.has(next + entry.address.slice(entry.number.length))
    ? null
    : next + abbreviated.slice(entry.number.length)
}

/** Any house of the street is right. */
const sameAbbreviatedStreet: Accepts = (hit, entry) =>
  abbreviateStreet(hit)?.slice(hit.number.length) === abbreviateStreet(entry)?.slice(entry.number.length)

/** "689 massachusetts ave" → "690 massachusets ave, cambridge, ma", if there is no such house. */
const misspellWithoutHouse: Make = (entry, random, { addresses, words }) => {
  const { address, number, street, streetName, city, state } = entry
  const next = String(Number(number) + 1)
  const misspelt = misspell.misspellWord(random, streetName, (word) => words.has(word))
  return misspelt === null || city === '' || !/^\d+$/.test(number) || addresses.has(`${next} ${street}`)
    ? null
    : `${next}${address.slice(number.length).replace(streetName, misspelt)}, ${city}, ${state}`
}

const wrongSuffix: Make = ({ address: text, suffix }, random, { addresses }) => {
  if (suffix === '') return null
  const others = Object.keys(SUFFIXES)
    .slice(0, 8)
    .filter((other) => other !== suffix && SUFFIXES[other] !== suffix)
  return unless(addresses, replaceSuffix(text, suffix, random.pick(others)))
}
const replaceSuffix = (text: string, suffix: string, by: string): string => {
  const at = text.lastIndexOf(` ${suffix}`)
  return (text.slice(0, at) + (by === '' ? '' : ` ${by}`) + text.slice(at + 1 + suffix.length)).trim()
}

const rewriteUnit: Make = ({ address: text, unit, number, street }, random) => {
  if (unit === '') return null
  const others = [`#${unit}`, `apt ${unit}`, `unit ${unit}`, `suite ${unit}`, `# ${unit}`]
  return `${number} ${street} ${random.pick(others.filter((other) => !text.endsWith(` ${other}`)))}`
}

const cutLastWord: Make = ({ name }) => {
  const last = name.split(' ').at(-1) ?? ''
  if (last.length < 3 || last === name) return null
  return name.slice(0, name.length - last.length + Math.ceil(last.length * 0.7))
}

const replaceWords = (
  random: Random,
  text: string,
  table: Readonly<Record<string, readonly string[]>>,
): string | null => {
  const words = text.split(' ')
  const replaced = words.map((word) => (table[word] === undefined ? word : random.pick(table[word])))
  return replaced.join(' ') === text ? null : replaced.join(' ')
}

const TRUST = /\b(trust|tr|ttee|trustees?)\b/

/** A word of a name that tells names apart. Null: it has none. */
const pickWord = (random: Random, name: string): string | null => {
  const words = name.split(' ').filter((word) => /^[a-z]{5,}$/.test(word) && !NOT_A_PERSON.test(word))
  return words.length === 0 ? null : random.pick(words)
}

/** A word that people know a place by, and that no record has. */
const pickUnknown = (random: Random, words: ReadonlySet<string>): string | null => {
  const unknown = PLACE_WORDS.filter((word) => !words.has(word) && !words.has(`${word}s`))
  return unknown.length === 0 ? null : random.pick(unknown)
}

const besideUnknown =
  (joinWords: (word: string, unknown: string) => string): Make =>
  ({ name }, random, { words }) => {
    const word = pickWord(random, name)
    const unknown = pickUnknown(random, words)
    return word === null || unknown === null ? null : joinWords(word, unknown)
  }

/** The words of a trust's name that are not about the trust. Empty: it is none. */
const wordsOutsideTrust = (name: string): string[] =>
  TRUST.test(name) ? wordsOf(name).filter((word) => TRUST_WORDS[word] === undefined) : []

const PO_BOX = /\bpo box (\d+)/
const poBoxOf = ({ mailing }: Entry): string | null => PO_BOX.exec(mailing)?.[1] ?? null
const sameBox: Accepts = (hit, entry) => poBoxOf(hit) === poBoxOf(entry)
const poBox = (title: string, write: (number: string, entry: Entry) => string, accepts: Accepts = sameBox): Kind => ({
  title,
  make: (entry) => {
    const number = poBoxOf(entry)
    return number === null ? null : write(number, entry)
  },
  accepts,
})

/** "12-0001-0010" → "12-1-10". */
const dropZeros = (text: string): string => text.replace(/(?<![\p{L}\p{N}]|\d\.)0+(?=\d)|(?<=\p{L})0+(?=\d)/gu, '')
const keyWithoutZeros = (entry: Entry): string => keyOf(dropZeros(entry.idText))
const sameKeyWithoutZeros: Accepts = (hit, entry) => keyWithoutZeros(hit) === keyWithoutZeros(entry)

/** Differs from the typed id by one character. */
const isOneDigitAway: Accepts = (hit, _, q) => {
  const typed = keyOf(q)
  const differing = [...hit.idKey].filter((unit, at) => unit !== typed[at]).length
  return hit.idKey.length === typed.length && differing === 1
}

const mapAndLot: Make = ({ idText }) => {
  const groups = idText.split(/[^a-z0-9.]+/).filter((group) => group !== '')
  const parts = groups.length === 1 ? /^(\w+?[a-z]{1,2})(\d{4,})$/.exec(idText)?.slice(1) : groups
  const bare = parts?.map((group) => group.replace(/^0+(?=\w)/, '')) ?? []
  if (bare.length === 2) return `map ${bare[0]} lot ${bare[1]}`
  return bare.length === 3 ? `map ${bare[0]} block ${bare[1]} lot ${bare[2]}` : null
}

/** Shorter ids in a longer text may be house numbers. */
const SHORTEST_ID_IN_TEXT = 7

/** Words that people put around an address or a name when they ask a question. */
const around = (before: string, after = ''): Kind =>
  address(`"${join(before, 'ADDRESS', after)}"`, (entry) => join(before, entry.address, after))

const postalLine = ({ address: line, city, state, zip }: Entry): string | null =>
  city === '' || zip === '' || state === '' ? null : `${line}, ${city}, ${state} ${zip}`

export const KINDS: readonly Kind[] = [
  // Addresses.
  address('address', ({ address }) => address),
  address(
    'first 60% of an address',
    ({ address }) => address.slice(0, Math.ceil(address.length * 0.6)),
    (hit, _, q) => hit.address.startsWith(q),
  ),
  address('street alone', ({ street }) => (street.length < 4 ? null : street), sameStreet),
  address(
    'street alone, suffix spelled otherwise',
    ({ street }) => (street.length < 4 ? null : respell(street, SUFFIX_SPELLINGS, 'last')),
    sameStreet,
  ),
  address(
    'street, name alone',
    ({ streetName }) => (/^[a-z ]{4,}$/.test(streetName) ? streetName : null),
    (hit, entry) => hit.streetName === entry.streetName,
  ),
  address(
    'two streets of an intersection',
    ({ street, suffix }, random, { parcels }) => {
      const other = random.pick(parcels)
      return suffix === '' || other.suffix === '' || other.street === street ? null : `${street} & ${other.street}`
    },
    (hit, _, q) => q.split(' & ').includes(hit.street),
  ),
  address(
    'address, space missing after the number',
    ({ address, number }) => number + address.slice(number.length + 1),
  ),
  address('address, 1 typo', ({ address }, random, { addresses }) =>
    unless(addresses, misspell.addTypo(random, address)),
  ),
  address('address, 2 typos', ({ address }, random, { addresses }) =>
    unless(addresses, misspell.addTypo(random, misspell.addTypo(random, address))),
  ),
  address('address, neighbor key', ({ address }, random, { addresses }) =>
    unless(addresses, misspell.hitNeighborKey(random, address)),
  ),
  address('address, as it sounds', ({ address }, random, { addresses }) =>
    unless(addresses, misspell.spellBySound(random, address)),
  ),
  address('address, wrong suffix', wrongSuffix),
  address('address, suffix missing', ({ address, suffix }, _, { addresses }) =>
    suffix === '' ? null : unless(addresses, replaceSuffix(address, suffix, '')),
  ),
  address('address, suffix spelled otherwise', ({ address }) => respell(address, SUFFIX_SPELLINGS, 'last')),
  address('address, street abbreviated', abbreviateStreet, sameAbbreviation),
  address('address, street abbreviated, no such house', abbreviateWithoutHouse, sameAbbreviatedStreet),
  address('address + city, state, 1 typo in the street, no such house', misspellWithoutHouse, sameStreet),
  address('address, direction spelled otherwise', ({ address }) => respell(address, DIRECTION_SPELLINGS, 'first')),
  address('address, direction missing', ({ address, direction }, _, { addresses }) =>
    direction === '' ? null : unless(addresses, address.replace(` ${direction} `, ' ')),
  ),
  address('address, house number with 2 digits swapped', ({ address, number }, random, { addresses }) => {
    const swapped = misspell.swapDigits(random, number)
    return swapped === null ? null : unless(addresses, swapped + address.slice(number.length))
  }),
  address('address, unit written otherwise', rewriteUnit),
  address('address, unit of a house without units', ({ address, unit }, random) =>
    unit === '' ? `${address} ${random.pick(['apt 3', 'unit 12', '#2', 'ste 200'])}` : null,
  ),
  address('address, house number last', ({ street, number, unit }) => (unit === '' ? `${street} ${number}` : null)),
  address('address, numbered street in words', ({ address }) => respell(address, ORDINALS, 'first')),
  address('Saint and St, Mount and Mt, Fort and Ft', ({ number, street, streetName }) => {
    const [first = '', ...rest] = streetName.split(' ')
    const other = PREFIX_SPELLINGS[first]
    return other === undefined || rest.length === 0 ? null : `${number} ${street.replace(`${first} `, `${other} `)}`
  }),
  address(
    'address + city',
    ({ address, city }) => (city === '' ? null : `${address} ${city}`),
    both(sameAddress, sameCity),
  ),
  address(
    'address + city named like a state',
    ({ address, city }) => (STATE_NAMES.has(city) ? `${address} ${city}` : null),
    both(sameAddress, sameCity),
  ),
  address(
    'street named like a state',
    ({ number, streetName }) => (STATE_NAMES.has(streetName) ? `${number} ${streetName}` : null),
    (hit, entry) => hit.number === entry.number && hit.streetName === entry.streetName,
  ),
  address(
    'address + city, state',
    ({ address, city, state }) => (city === '' || state === '' ? null : `${address}, ${city}, ${state}`),
    both(sameAddress, sameCity),
  ),
  address('postal line with ZIP', (entry) => postalLine(entry), both(sameAddress, sameCity)),
  address('address + ZIP', ({ address, zip }) => (zip === '' ? null : `${address} ${zip}`), both(sameAddress, sameZip)),
  address('street + ZIP', ({ street, zip }) => (zip === '' ? null : `${street} ${zip}`), both(sameStreet, sameZip)),
  around('who owns'),
  around('owner of'),
  around('property at'),
  around('', 'property'),
  address('address after its city', ({ address, city }) => (city === '' ? null : `${city} ${address}`)),
  address('address within a sentence', ({ address, suffix }) =>
    suffix === '' ? null : `we have seen ${address} and want to know more`,
  ),
  address('address, house number in words', ({ address, number, suffix }) => {
    const said = suffix === '' ? null : sayNumber(number)
    return said === null ? null : said + address.slice(number.length)
  }),
  address('address in wide letters', ({ address }) =>
    address.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  ),
  {
    title: 'mailing address',
    make: ({ mailing, address }) =>
      /^\d/.test(mailing) && !(address !== '' && mailing.startsWith(address)) ? mailing : null,
    accepts: (hit, entry) => hit.mailing === entry.mailing,
  },
  poBox('PO box', (number) => `po box ${number}`),
  poBox('PO box as "p o box"', (number) => `p o box ${number}`),
  poBox('PO box as "p.o. box"', (number) => `p.o. box ${number}`),
  poBox('PO box as "pobox"', (number) => `pobox ${number}`),
  poBox('PO box + owner', (number, { name }) => `${name} po box ${number}`, both(sameBox, sameName)),

  // Owners.
  owner('owner', ({ name }) => name),
  owner('owner + city', ({ name, city }) => (city === '' ? null : `${name} ${city}`), both(sameName, sameCity)),
  owner(
    'owner + city named like a state',
    ({ name, city }) => (STATE_NAMES.has(city) ? `${name} ${city}` : null),
    both(sameName, sameCity),
  ),
  owner('owner + state', ({ name, state }) => (state === '' ? null : `${name} ${state}`)),
  owner(
    'owner + address',
    ({ name, address, number }) => (number === '' ? null : `${name} ${address}`),
    both(sameName, sameAddress),
  ),
  person(
    'owner + street',
    ([surname = ''], { number, street, name }) =>
      number === '' || street === '' || name === '' ? null : `${surname} ${street}`,
    (hit, entry) => hit.street === entry.street && hasWords(hit.name, wordsOf(personOf(entry)?.[0] ?? '')),
  ),
  owner('owner, 1 typo', ({ name }, random, { names }) => unless(names, misspell.addTypo(random, name))),
  owner('owner, 2 typos', ({ name }, random, { names }) =>
    unless(names, misspell.addTypo(random, misspell.addTypo(random, name))),
  ),
  owner('owner, first letter wrong', ({ name }, random, { names }) =>
    unless(names, random.pick([...'abcdefghijklmnoprstw'].filter((letter) => letter !== name[0])) + name.slice(1)),
  ),
  owner('owner, neighbor key', ({ name }, random, { names }) => unless(names, misspell.hitNeighborKey(random, name))),
  owner('owner, as it sounds', ({ name }, random, { names }) => unless(names, misspell.spellBySound(random, name))),
  owner('owner, a space missing or added', ({ name }, random, { names }) =>
    unless(names, misspell.moveSpace(random, name)),
  ),
  owner('owner, last word cut at 70%', cutLastWord, (hit, _, q) => hit.name.startsWith(q)),
  owner('owner, words reversed', ({ name }, _, { names }) => {
    const words = name.split(' ')
    return words.length < 2 || name.includes('&') ? null : unless(names, words.toReversed().join(' '))
  }),
  owner('owner with apostrophe or hyphen left out', ({ name }) =>
    /\w['-]\w/.test(name) ? name.replace(/(?<=\w)['-](?=\w)/g, '') : null,
  ),
  owner('owner, "&" as "and"', ({ name }) => (name.includes(' & ') ? name.replaceAll(' & ', ' and ') : null)),
  person(
    'first name first',
    ([surname = '', given = '', ...rest]) => [given, ...rest, surname].join(' '),
    nameHasPerson,
  ),
  person(
    'first and last name, no initial',
    ([surname = '', given = '', initial]) => (initial === undefined ? null : `${given} ${surname}`),
    (hit, entry) => hasWords(hit.name, personOf(entry)?.slice(0, 2) ?? []),
  ),
  owner('owner, ties', ({ name }, _, { namesByPair }) =>
    (namesByPair.get(pairOf(name))?.size ?? 0) > 1 && wordsOf(name).length <= 3 ? name : null,
  ),
  person(
    'initial + surname',
    ([surname = '', given = '']) => `${given[0]} ${surname}`,
    (hit, entry) => {
      const [surname = '', given = ''] = personOf(entry) ?? []
      const words = wordsOf(hit.name)
      return words.includes(surname) && words.some((word) => word !== surname && word[0] === given[0])
    },
  ),
  person(
    'nickname',
    (names, _, random, { names: taken }) => unless(taken, misspell.useNickname(random, names.join(' '))),
    nameHasPerson,
  ),
  person(
    'second owner',
    ([surname = ''], { name }) => {
      const second = name.split(' & ')[1]?.split(' ') ?? []
      return second.length === 1 && /^[a-z]{3,}$/.test(second[0] ?? '') ? `${second[0]} ${surname}` : null
    },
    (hit, entry) => hasWords(hit.name, [personOf(entry)?.[0] ?? '', entry.name.split(' & ')[1] ?? '']),
  ),
  person('"house of OWNER"', (names) => `house of ${names.join(' ')}`, nameHasPerson),
  person(
    '"the SURNAME family"',
    ([surname = '']) => `the ${surname} family`,
    (hit, entry) => hasWords(hit.name, [personOf(entry)?.[0] ?? '']),
  ),
  person('"OWNER property"', (names) => `${names.join(' ')} property`, nameHasPerson),
  person('"parcels owned by OWNER"', (names) => `parcels owned by ${names.join(' ')}`, nameHasPerson),
  owner(
    '4 letters of the owner + house number',
    ({ name, number }) => (/^\d+$/.test(number) && /^[a-z]{4}/.test(name) ? `${name.slice(0, 4)} ${number}` : null),
    (hit, entry) => hit.name.startsWith(entry.name.slice(0, 4)) && hit.number === entry.number,
  ),
  { ...person('surname at a place', ([surname = '']) => surname), near: true },
  owner('trust spelled otherwise', ({ name }, random, { names }) =>
    TRUST.test(name) ? unless(names, replaceWords(random, name, TRUST_WORDS)) : null,
  ),
  owner(
    'trust without its words',
    ({ name }) => {
      const rest = wordsOutsideTrust(name)
      return rest.length < 2 ? null : rest.join(' ')
    },
    (hit, _, q) => hasWords(hit.name, q.split(' ')),
  ),
  owner(
    'trust of another kind',
    ({ name }) => {
      const rest = wordsOutsideTrust(name)
      return rest.length < 2 ? null : `${rest.join(' ')} revocable living trust`
    },
    (hit, entry) => hasWords(hit.name, wordsOutsideTrust(entry.name)),
  ),
  owner(
    '"trustee of the TRUST"',
    ({ name }) => (TRUST.test(name) ? `trustee of the ${name}` : null),
    (hit, entry) => hasWords(hit.name, wordsOutsideTrust(entry.name)),
  ),
  person(
    '"heirs of OWNER"',
    ([surname = '', given = '']) => `heirs of ${given} ${surname}`,
    (hit, entry) => hasWords(hit.name, personOf(entry)?.slice(0, 2) ?? []),
  ),
  company('company, legal form spelled otherwise', ({ name }, random, { names }) => {
    const form = formOf(name) ?? ''
    return unless(names, `${name.slice(0, -form.length)}${random.pick(COMPANY_FORMS[form] ?? [form])}`)
  }),
  company('company without its legal form', ({ name }, _, { names }) =>
    unless(names, name.slice(0, -1 - (formOf(name)?.length ?? 0))),
  ),
  company('company, 1 typo', ({ name }, random, { names }) => unless(names, misspell.addTypo(random, name))),
  owner(
    'word of an owner + a word of no record',
    besideUnknown((word, unknown) => `${word} ${unknown}`),
    (hit, _, q) => hasWords(hit.name, q.split(' ').slice(0, 1)),
  ),
  owner(
    'a word of no record + word of an owner',
    besideUnknown((word, unknown) => `${unknown} ${word}`),
    (hit, _, q) => hasWords(hit.name, q.split(' ').slice(1)),
  ),
  { ...company('entity', ({ name }) => name), of: 'companies' },
  {
    ...company('entity, 1 typo', ({ name }, random, { names }) => unless(names, misspell.addTypo(random, name))),
    of: 'companies',
  },
  {
    ...company('entity, legal form spelled otherwise', ({ name }, random, { names }) => {
      const form = formOf(name) ?? ''
      return unless(names, `${name.slice(0, -form.length)}${random.pick(COMPANY_FORMS[form] ?? [form])}`)
    }),
    of: 'companies',
  },

  // Parcel ids.
  id('parcel id', ({ idText }) => idText, sameId),
  id('parcel id without punctuation', ({ idText, idKey }) => (idKey === idText ? null : idKey)),
  id('parcel id, punctuation elsewhere', ({ idKey }, random) => {
    const at = 2 + random.below(idKey.length - 3)
    return `${idKey.slice(0, at)}${random.pick(['-', ' ', '.'])}${idKey.slice(at)}`
  }),
  id(
    'first 70% of a parcel id',
    ({ idText }) => (idText.length < 6 ? null : idText.slice(0, Math.ceil(idText.length * 0.7)).replace(/\W+$/, '')),
    (hit, _, q) => hit.idKey.startsWith(keyOf(q)),
  ),
  id(
    'parcel id, a digit wrong',
    ({ idText, idKey }, random, { idKeys }) => {
      const typed = misspell.changeDigit(random, idText)
      return typed === null || idKey.length < 6 || idKeys.has(keyOf(typed)) ? null : typed
    },
    isOneDigitAway,
  ),
  id(
    'parcel id without zeros',
    ({ idText }, _, { idKeys }) => {
      const typed = dropZeros(idText)
      return typed === idText || idKeys.has(keyOf(typed)) ? null : typed
    },
    sameKeyWithoutZeros,
  ),
  id('"parcel ID"', ({ idText }) => `parcel ${idText}`),
  id('"apn ID"', ({ idText }) => `apn ${idText}`),
  id('"parcel number ID"', ({ idText }) => `parcel number ${idText}`),
  id('"map 12 lot 3"', mapAndLot, sameKeyWithoutZeros),
  id(
    '"lot 3 map 12"',
    (...from) => mapAndLot(...from)?.replace(/^(map .*) (lot \S+)$/, '$2 $1') ?? null,
    sameKeyWithoutZeros,
  ),
  id('parcel id + owner', ({ idText, idKey, name }) =>
    idKey.length < SHORTEST_ID_IN_TEXT || name.length < 4 ? null : `${idText} ${name}`,
  ),
  id('row of a table', ({ idText, idKey, name, address, city, state, zip }) =>
    idKey.length < SHORTEST_ID_IN_TEXT ? null : [idText, name, address, city, state, zip].filter(Boolean).join(', '),
  ),
]
