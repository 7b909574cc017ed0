import { expect, test } from 'bun:test'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { correct } from '../../search/query/correct-query'
import { hashSearch, parseQuery, type SearchParams } from '../../search/query/query'
import { splitWords } from '../../search/query/text'
import { createVocabulary } from '../../search/query/vocabulary'

const params = (q: string, more: Partial<SearchParams> = {}): SearchParams => ({
  q,
  limit: 20,
  types: ['parcels', 'entities'],
  filter: LISTED_PARCELS,
  lat: null,
  lon: null,
  proximityKm: 50,
  group: null,
  ...more,
})

/** Each reading as "text | state". */
const readings = (q: string, more: Partial<SearchParams> = {}) =>
  parseQuery(params(q, more)).map(({ text, filter }) => `${text} | ${filter.state}`)

test.each([
  ['smith or', ['smith | OR', 'smith or | null']],
  ['smith OR', ['smith | OR', 'smith OR | null']],
  ['smith, Or ', ['smith | OR', 'smith, Or | null']],
  ['smith zz', ['smith zz | null']],
  ['smith oregon', ['smith | OR', 'smith oregon | null']],
  ['smith West Virginia', ['smith | WV', 'smith West Virginia | null']],
  ['smith new york', ['smith | NY', 'smith new york | null']],
  ['smith district of columbia', ['smith | DC', 'smith district of columbia | null']],
  ['smith puerto rico', ['smith | PR', 'smith puerto rico | null']],
  ['smith pr', ['smith | PR', 'smith pr | null']],
  ['oregon', ['oregon | null']],
  ['west virginia', ['west virginia | null']],
  ['a or', ['a or | null']],
  ['ab or', ['ab | OR', 'ab or | null']],
  ['or smith', ['or smith | null']],
])('the state at the end of "%s" is read as %p', (q, expected) => {
  expect(readings(q)).toEqual(expected)
})

test('a given state turns extraction off', () => {
  expect(readings('smith or', { filter: { ...LISTED_PARCELS, state: 'WA' } })).toEqual(['smith or | WA'])
})

test.each([
  ['123 oak ct', ['123 oak ct | null']],
  ['123 n oak CT', ['123 n oak CT | null']],
  ['100 lake ct', ['100 lake ct | null']],
  ['12 rocky mt', ['12 rocky mt | null']],
  ['12 pelican ky', ['12 pelican ky | null']],
  ['123 oak st ct', ['123 oak st | CT', '123 oak st ct | null']],
  ['123 oak st hartford ct', ['123 oak st hartford | CT', '123 oak st hartford ct | null']],
  ['oak ct', ['oak | CT', 'oak ct | null']],
  ['123 oak or', ['123 oak | OR', '123 oak or | null']],
])('a street suffix that is also a state code is recognized by the street before it: "%s"', (q, expected) => {
  expect(readings(q)).toEqual(expected)
})

test.each([
  ['123 north main street apartment 4 ', '123 n main st unit 4'],
  ['123 n main street apt 4', '123 n main st unit 4'],
  ['123 N MAIN ST #4', '123 n main st unit 4'],
  ['200 southwest first avenue ', '200 sw 1st ave'],
  ['5 parkway boulevard suite 2', '5 pkwy blvd unit 2'],
  ['123 N.E. Main St. ', '123 ne main st'],
  ['123 n. main st ', '123 n main st'],
  ['12 twenty-first st ', '12 21st st'],
  ['12 ne thirty second ave', '12 ne 32nd ave'],
  ['eightyninth', '89th'],
  ['12 forty acres road ', '12 forty acres rd'],
])('"%s" is the address "%s"', (q, expected) => {
  expect(parseQuery(params(q))[0]?.addressWords.join(' ')).toBe(expected)
})

test('the word still being typed is unchanged', () => {
  expect(parseQuery(params('123 north'))[0]?.addressWords).toEqual(['123', 'north'])
  expect(parseQuery(params('123 north '))[0]?.addressWords).toEqual(['123', 'n'])
  expect(parseQuery(params('acme limited'))[0]?.nameWords).toEqual(['acme', 'limited'])
  expect(parseQuery(params('acme limited '))[0]?.nameWords).toEqual(['acme', 'ltd'])
})

test('names are compared without the punctuation inside them', () => {
  expect(parseQuery(params("Bauer & O'Callaghan, L.L.C. "))[0]?.nameWords).toEqual([
    'bauer',
    'and',
    'ocallaghan',
    'llc',
  ])
})

test('a parcel id is compared without its punctuation, with and without a state after it', () => {
  expect(parseQuery(params('1N1-30.CB 00100'))[0]?.parcelKeys).toEqual(['1n130cb00100'])
  expect(parseQuery(params('12-34 or'))[0]?.parcelKeys).toEqual(['1234or', '1234'])
})

test.each([
  ['who owns 12 oak st', '12 oak st'],
  ['address: 12 oak st', '12 oak st'],
  ['Property address: 12 oak st', '12 oak st'],
  ['situs: 12 oak st', '12 oak st'],
  ['house of ada juniper', 'ada juniper'],
  ['property at 12 oak st', '12 oak st'],
  ['show me the houses on oak st', 'oak st'],
  ['the juniper family', 'juniper'],
  ['juniper property', 'juniper'],
  ['mrs juniper', 'juniper'],
  ['Mr. & Mrs. Ada Juniper', 'Ada Juniper'],
  ['who owns the house at 12 oak st?', '12 oak st?'],
  ['all parcels owned by juniper', 'juniper'],
  ['list of the properties of juniper', 'juniper'],
  ['zip code 97301', '97301'],
  ['name: juniper', 'juniper'],
  ['taxes for 12 oak st', '12 oak st'],
  ['property tax 12 n oak st', '12 n oak st'],
  ['what is the value of 12 oak st', '12 oak st'],
  ['how much is 12 oak st worth', '12 oak st'],
  ['12 oak st for sale', '12 oak st'],
  ['12 oak st owner', '12 oak st'],
  ['no. 12 oak st', '12 oak st'],
  ['deed for 12 4th st', '12 4th st'],
  ['estate of ada juniper', 'ada juniper'],
  ['juniper ada et ux', 'juniper ada'],
  ['juniper ada, etal', 'juniper ada'],
  ['juniper ada trustee', 'juniper ada'],
  ['apn 12-0001-0010', '12-0001-0010'],
  ['vacant land oak st', 'oak st'],
  ['vacant lot on oak st', 'oak st'],
  ['all vacant parcels on oak st', 'oak st'],
  ['oak st vacant land', 'oak st'],
  ['owner=ada juniper', 'ada juniper'],
  ['owner name ada juniper', 'ada juniper'],
  ['situs address - 12 oak st', '12 oak st'],
  ['trustee of the juniper trust', 'juniper trust'],
  ['the juniper family trust', 'juniper family trust'],
  ['heirs of ada juniper', 'ada juniper'],
  ['c/o ada juniper', 'ada juniper'],
  ['attn: ada juniper', 'ada juniper'],
  ['near 12 oak st', '12 oak st'],
  ['I am looking for 12 oak st', '12 oak st'],
])('"%s" is searched as "%s", and as typed', (q, text) => {
  const [request] = parseQuery(params(q))
  expect(request?.text).toBe(text)
  expect(request?.otherWordings.map(({ words }) => words.join(' '))).toContain(splitWords(q).join(' '))
})

test.each([
  'house',
  'the oak',
  'juniper houseman',
  'property',
  'land of',
  'juniper title',
  'tax 12',
  'juniper for sale',
  'trustee of',
  'near juniper',
  'owner-occupied homes llc',
])('nothing is dropped from "%s"', (q) => {
  expect(parseQuery(params(q))[0]?.text).toBe(q)
})

test.each([
  ['12 oak st, salem, me 04101', '12 oak st salem 04101 | ME'],
  ['12 oak st salem oregon 97301-1234', '12 oak st salem 97301-1234 | OR'],
])('the state before the ZIP code of "%s" is read', (q, expected) => {
  expect(readings(q)[0]).toBe(expected)
})

test.each([
  ['12 oak st, salem, or, usa', '12 oak st salem | OR'],
  ['12 oak st salem oregon 97301 United States', '12 oak st salem 97301 | OR'],
  ['salem, or, u.s.a.', 'salem | OR'],
  ['12 oak st usa', '12 oak st | null'],
  ['bank of the united states', 'bank of the united states | null'],
  ['juniper usa', 'juniper usa | null'],
])('the country after the address in "%s" is left out', (q, expected) => {
  expect(readings(q)[0]).toBe(expected)
})

test.each([
  ['apt 3 12 oak st', '12 oak st apt 3'],
  ['Unit 3B, 12 n oak st', '12 n oak st unit 3b'],
  ['#3 12 4th st', '12 4th st 3'],
  ['suite 100 juniper llc', 'suite 100 juniper llc'],
])('a unit before the house number goes after the street: "%s"', (q, expected) => {
  expect(parseQuery(params(q))[0]?.words.join(' ')).toBe(expected)
})

test.each([
  ['oak st 12', '12 oak st'],
  ['ne 2nd ave 123', '123 ne 2nd ave'],
  ['oak street se 12b', '12b oak street se'],
  ['oak st 12 apt 3', '12 oak st apt 3'],
  ['who owns oak st 12', '12 oak st'],
  ['oak st 12, salem, or', 'oak st 12 salem'],
  ['oak st 97301', 'oak st 97301'],
  ['12 oak st 3', '12 oak st 3'],
  ['county rd 12', 'county rd 12'],
  ['us highway 26', 'us highway 26'],
  ['oak 12', 'oak 12'],
])('a house number after its street goes first: "%s"', (q, expected) => {
  expect(parseQuery(params(q))[0]?.words.join(' ')).toBe(expected)
})

/** The other wordings of a query that are searched together with it, and those that are searched later. */
const otherWordings = (q: string) => {
  const others = parseQuery(params(q))[0]?.otherWordings ?? []
  const texts = (later: boolean) =>
    others.filter(({ isSearchedLater }) => (isSearchedLater ?? false) === later).map(({ words }) => words.join(' '))
  return { now: texts(false), later: texts(true) }
}

test.each([
  ['12-A oak st', '12a oak st'],
  ['12-e oak st', '12e oak st'],
  ['12 a oak st', '12a oak st'],
  ['12 oak st a', '12a oak st'],
  ['12 a park st', '12a park st'],
  ['12 rear oak st', '12r oak st'],
  ['12 oak st rear', '12r oak st'],
  ['12 oak st (rear)', '12r oak st'],
])('the letter of the house number in "%s" is also searched as part of it: "%s"', (q, expected) => {
  expect(otherWordings(q).now).toContain(expected)
})

test.each(['12 e oak st', '12 a st', '12 a st salem', '12 n', '12 oak a', 'suite a oak st'])(
  '"%s" has no letter of a house number',
  (q) => {
    expect(otherWordings(q).now).toEqual([])
  },
)

test.each([
  ['forty two oak street', '42 oak street'],
  ['one oak sq', '1 oak sq'],
  ['one hundred twenty oak st', '120 oak st'],
  ['one hundred and five n oak st', '105 n oak st'],
  ['two thousand four hundred twelve oak st', '2412 oak st'],
  ['twelve thirty four oak st', '1234 oak st'],
  ['three oh five oak st', '305 oak st'],
  ['nineteen twenty first st', '19 21st st'],
])('a house number in words is searched in digits later: "%s" as "%s"', (q, expected) => {
  expect(otherWordings(q).later).toEqual([expected])
})

test.each(['twenty first st', 'seven oaks llc', 'one juniper', 'ten'])(
  '"%s" does not begin with a house number',
  (q) => {
    expect(otherWordings(q)).toEqual({ now: [], later: [] })
  },
)

test.each([
  ['they sold 12 oak st last year', '12 oak st'],
  ['salem, or: 12 ne oak st', '12 ne oak st'],
  ['they sold 12 oak st unit 3b last year', '12 oak st unit 3b'],
  ['they sold 12 oak st #3 last year', '12 oak st unit 3'],
  ['juniper ada, 12-16 town center dr, salem', '12 16 town center dr'],
  ['1N130CB00100, juniper ada, 12 oak st se, salem', '12 oak st se'],
])('the address within "%s" is searched later: "%s"', (q, expected) => {
  expect(otherWordings(q).later).toContain(expected)
})

test.each(['12 oak st', '12-16 oak st', 'juniper 12 oak', 'oak st salem'])(
  'there is no text before an address in "%s"',
  (q) => {
    expect(otherWordings(q).later).toEqual([])
  },
)

test.each([
  ['juniper family trust ', 'juniper trust'],
  ['juniper rev liv tr', 'juniper trust'],
  ['ada juniper revocable living trust', 'ada juniper trust'],
  ['juniper living', 'juniper trust'],
  ['juniper revocable l', 'juniper trust'],
  ['juniper revocable living tru', 'juniper trust'],
])('rolls differ in the kind of a trust, so "%s" is searched as "%s" later', (q, expected) => {
  expect(otherWordings(q).later).toEqual([expected])
})

test.each(['juniper trust', 'family trust', 'living trust', 'juniper l', 'juniper family', 'juniper living alder'])(
  '"%s" is no trust of another kind',
  (q) => {
    expect(otherWordings(q).later).toEqual([])
  },
)

test.each(['25½ oak st', '25 ½ oak st', '25 1/2 oak st'])('a fraction has the words of its digits: "%s"', (q) => {
  expect(parseQuery(params(q))[0]?.words).toEqual(['25', '1', '2', 'oak', 'st'])
})

test('wide letters and digits of East Asian keyboards are ordinary ones', () => {
  expect(parseQuery(params('１２　ｏａｋ　ｓｔ'))[0]?.words).toEqual(['12', 'oak', 'st'])
})

test.each([
  ['1,370 oak st', '1370 oak st'],
  ['12, 370 oak st', '12 370 oak st'],
  ['1,370', '1 370'],
])('a comma in the thousands of a house number is left out: "%s"', (q, expected) => {
  expect(parseQuery(params(q))[0]?.words.join(' ')).toBe(expected)
})

test.each([
  ['12-0001-0010 juniper ada', ['1200010010']],
  ['1N130CB00100, Larkspur County', ['1n130cb00100']],
  ['12-16\tjuniper ada\t12 oak st\t97301', ['1216']],
  ['juniper 1234567 12-0001-0010 97301-1234 555-0100', ['1200010010']],
  ['12-16 oak st', []],
  ['1N130CB TL 100', []],
])('whole ids within "%s": %p', (q, expected) => {
  const keys = parseQuery(params(q))[0]?.parcelKeys ?? []
  const ofTexts = new Set([q, parseQuery(params(q))[0]?.text ?? ''].map((text) => splitWords(text).join('')))
  expect(keys.filter((key) => !ofTexts.has(key))).toEqual(expected)
})

test.each([
  ['12 oak st apt 3', '12 oak st'],
  ['12 oak st #3', '12 oak st'],
  ['12 oak st unit', '12 oak st'],
  ['12 oak st bldg 4 apt 3b salem 97301', '12 oak st salem 97301'],
])('"%s" is also searched without the unit, because not every unit is a parcel', (q, expected) => {
  const [request] = parseQuery(params(q))
  const [first] = request?.otherWordings ?? []
  expect([first?.words.join(' '), first?.isSearchedLater ?? false]).toEqual([expected, false])
})

test.each(['12 no name rd', '12 unit', '12 space needle way'])('"%s" has no unit', (q) => {
  expect(parseQuery(params(q))[0]?.otherWordings).toEqual([])
})

test('an address without a ZIP code is compared without the words after its street, and searched without them later', () => {
  const [request] = parseQuery(params('12 oak st salem'))
  expect(request?.otherWordings).toMatchObject([{ words: ['12', 'oak', 'st'], isSearchedLater: true }])
  expect(parseQuery(params('12 oak hill st'))[0]?.otherWordings).toEqual([])
})

test.each([
  ['12 73th ave', '12 73rd ave'],
  ['12 11st ave', '12 11th ave'],
  ['12 101th ave', '12 101st ave'],
  ['12 2nd ave', '12 2nd ave'],
])('the ending of an ordinal does not matter: "%s"', (q, expected) => {
  expect(parseQuery(params(q))[0]?.addressWords.join(' ')).toBe(expected)
})

test('an address is also searched without its ZIP code and its city, because not every record has them', () => {
  const [request] = parseQuery(params('12 oak st salem 97301-1234'))
  expect(request?.words).toEqual(['12', 'oak', 'st', 'salem', '97301'])
  expect(request?.otherWordings.map(({ words }) => words.join(' '))).toEqual(['12 oak st salem', '12 oak st'])
})

test.each(['po box 12', 'p o box 12', 'P.O. Box 12', 'pob 12', 'p.o box #12'])('"%s" is a PO box', (q) => {
  expect(parseQuery(params(q))[0]?.words).toEqual(['po', 'box', '12'])
})

test.each(['rural route 7 box 12', 'R.R. 7 Box 12', 'rfd 7 box 12', 'rr 7 box 12'])('"%s" is a rural route', (q) => {
  expect(parseQuery(params(q))[0]?.addressWords).toEqual(['rr', '7', 'box', '12'])
})

/** The other wordings that are searched if the typed one finds nothing, without that of the street before its city. */
const laterWordingsOf = (q: string): string[] =>
  parseQuery(params(q)).flatMap(({ otherWordings }) =>
    otherWordings
      .filter(({ isSearchedLater, cost }) => isSearchedLater && cost < 9)
      .map(({ words }) => words.join(' ')),
  )

test.each([
  ['12 state highway 71', ['12 hwy 71', '12 sr 71', '12 sh 71', '12 state 71', '12 rte 71']],
  ['12 N US HWY 290 E', ['12 n us 290 e', '12 n hwy 290 e', '12 n rte 290 e']],
  ['12 interstate 45', ['12 i 45', '12 ih 45']],
  ['12 county road k', ['12 county k', '12 cr k', '12 co k', '12 cth k']],
  ['12 ranch road 165', ['12 fm 165', '12 rm 165', '12 rr 165', '12 ranch 165']],
  ['12 tx-71', ['12 hwy 71', '12 sr 71', '12 sh 71', '12 state 71', '12 rte 71']],
  ['hwy 71', ['us 71', 'sr 71', 'sh 71', 'rte 71']],
  ['12 state st', []],
  ['12 us bank plaza', []],
])('a numbered road is also searched by its other names, if nothing has this one: "%s"', (q, expected) => {
  expect(laterWordingsOf(q)).toEqual(expected)
})

test.each([
  ['3512 82nd st', ['35 12 82nd st']],
  ['16902 oak st', ['169 02 oak st', '16 902 oak st']],
  ['911234 oak st', ['91 1234 oak st']],
  ['n 56 w 12345 oak st', ['n56w12345 oak st']],
  ['351 oak st', []],
  ['n oak st', []],
])('"%s" is also searched with the house number as in Queens, Hawaii and Wisconsin', (q, expected) => {
  expect(laterWordingsOf(q)).toEqual(expected)
})

test.each(['prospect place', '12 prospect place'])('the place in "%s" is part of the street', (q) => {
  expect(parseQuery(params(q))[0]?.addressWords).toEqual(q.split(' '))
})

test.each([
  ['mac donald ada', ['macdonald ada']],
  ['ada de la orchard', ['ada delaorchard']],
  ['ada vanderorchard', ['ada van der orchard']],
  ['ada donald', []],
  ['ada lemon', []],
])('a surname is searched with its parts joined and parted, if records have that: "%s"', (q, expected) => {
  const words = ['macdonald', 'donald', 'ada', 'delaorchard', 'vanderorchard', 'orchard', 'lemon']
  const vocabulary = createVocabulary(words.map((word) => ({ word, count: 9 })))
  const wordings = parseQuery(params(q)).flatMap((request) => correct(request, vocabulary).otherWordings)
  expect(wordings.map(({ words }) => words.join(' '))).toEqual(expected)
})

test.each([
  ['acme l.l.c. ', 'acme llc'],
  ['acme l l c ', 'acme llc'],
  ['smith gary junior ', 'smith gary jr'],
  ['gary smith senior ', 'gary smith sr'],
  ['acme limited liability co ', 'acme llc'],
  ['acme limited partnership ', 'acme lp'],
  ['acme company ', 'acme co'],
  ['orchard ridge homeowners association ', 'orchard ridge homeowners'],
  ['orchard ridge hoa ', 'orchard ridge homeowners'],
  ['orchard ridge home owners assn ', 'orchard ridge homeowners'],
  ['orchard ridge homeowners associati ', 'orchard ridge homeowners'],
  ['orchard ridge owners association ', 'orchard ridge owners assn'],
  ['first bank national association ', 'first bank na'],
  ['united states postal service ', 'us postal service'],
  ['u.s.a. ', 'usa'],
  ['juniper school district ', 'juniper school dist'],
  ['juniper independent school district ', 'juniper isd'],
  ['juniper ind school dist ', 'juniper isd'],
  ['juniper fam tr ', 'juniper family trust'],
  ['juniper rev liv trust ', 'juniper revocable living trust'],
  ['st mary ', 'saint mary'],
  ['mt hood ', 'mount hood'],
  ['1st baptist church ', 'first baptist church'],
])('the name "%s" is "%s"', (q, expected) => {
  // The first reading of "co" is Colorado.
  expect(parseQuery(params(q)).at(-1)?.nameWords.join(' ')).toBe(expected)
})

/** The streets of an intersection that are searched, or would be if the vocabulary knew them as streets. */
const streetsOf = (q: string) => {
  const [request] = parseQuery(params(q))
  const sure = request?.otherWordings.filter(({ isStreetOfCrossing }) => isStreetOfCrossing) ?? []
  const texts = (wordings: readonly { words: readonly string[] }[]) =>
    wordings.map(({ words }) => words.join(' ')).join(' | ')
  return { sure: texts(sure), perhaps: texts(request?.uncertainCrossing ?? []) }
}

test.each([
  ['maple st & alder ave', 'maple st | alder ave'],
  ['Maple Street at NE 5th', 'maple street | ne 5th'],
  ['maple st and 5th ave, salem or', 'maple st | 5th ave'],
  ['maple st @ alder', ''],
  ['corner of maple and alder', 'maple | alder'],
  ['the intersection of maple st and alder', 'maple st | alder'],
  ['juniper ada & bea', ''],
  ['12 salt & pepper ln', ''],
  ['maple st & alder st & oak st', ''],
])('"%s" is an intersection of the streets "%s"', (q, expected) => {
  expect(streetsOf(q).sure).toBe(expected)
})

test('two words are an intersection only if the vocabulary knows them as streets', () => {
  expect(streetsOf('maple and alder')).toEqual({ sure: '', perhaps: 'maple | alder' })
  const entries = ['maple', 'alder'].map((word) => ({ word, count: 100, isStreet: true }))
  const vocabulary = createVocabulary([...entries, { word: 'ada', count: 100 }])
  const isSearched = (q: string) =>
    parseQuery(params(q)).some((request) =>
      correct(request, vocabulary).otherWordings.some(({ isStreetOfCrossing }) => isStreetOfCrossing),
    )
  expect(isSearched('maple and alder')).toBe(true)
  expect(isSearched('maple and ada')).toBe(false)
})

test('a misspelled street of an intersection is corrected', () => {
  const vocabulary = createVocabulary(['maple', 'alder'].map((word) => ({ word, count: 100, isStreet: true })))
  const streets = parseQuery(params('mapel st & alder ave')).flatMap((request) =>
    correct(request, vocabulary).otherWordings.map(({ addressWords }) => addressWords.join(' ')),
  )
  expect(streets).toEqual(['maple st', 'alder ave'])
})

test('a cursor is not valid for a version of the service that reads the query in another way', () => {
  const search = params('smith or')
  const [located, literal] = parseQuery(search)
  if (located === undefined || literal === undefined) throw new Error('"smith or" has two readings')
  const hash = hashSearch(search)
  expect(hashSearch({ ...search, limit: 5 })).toBe(hash)
  expect(hashSearch(search, [literal])).not.toBe(hash)
  expect(hashSearch(search, [{ ...located, filter: literal.filter }, literal])).not.toBe(hash)
})
