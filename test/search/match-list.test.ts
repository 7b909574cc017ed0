import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import type { MatchParcelRow } from '../../drizzle/queries/matches/match-parcels'
import { readAddress } from '../../search/match/address/street-address'
import { type ListRow, untangleRow } from '../../search/match/list-row'
import { createListMatcher } from '../../search/match/match-list'
import { guessColumns } from '../../src/matches/guess-columns'
import { toListRow } from '../../src/matches/read-list'
import { drawLists } from '../bench/matches/draw-lists'
import { listParcels, measureQuality } from '../bench/matches/measure-quality'
import { sampleCounty } from '../bench/relevance/counties'
import { readRoll } from '../bench/relevance/roll'

const parcel = (
  id: string,
  situsAddress: string | null,
  { ownerName = null, situsCity = 'BEND', situsZip = '97700', state = 'OR' }: Partial<MatchParcelRow> = {},
): MatchParcelRow => ({
  ...{ id, source: 'elm', sourceParcelId: id, situsAddress, ownerName, situsCity, situsZip, situsState: state },
  ...{ state, countyName: 'Elm' },
})

/** The outcome of one row and the ids of its candidates. */
const decide = (row: ListRow, parcels: readonly MatchParcelRow[]): [string, ...string[]] => {
  const matcher = createListMatcher([row])
  for (const one of parcels) matcher.see(one)
  const { outcome, reason, candidates } = matcher.decide(0)
  const ids = outcome === 'no_match' ? [] : candidates.map(({ candidate }) => candidate.parcel.id).toSorted()
  return [reason ?? outcome, ...ids]
}

describe('the sample county', async () => {
  const records = await sampleCounty(4_000).read()
  const parcels = listParcels(records.parcels, 'OR', 'Larkspur')
  for (const list of drawLists(readRoll(records), { count: 300, seed: 11 })) {
    test(`${list.kind}: matches are right, and most rows get their parcel`, () => {
      const { precision, recall, ties, faults } = measureQuality(list, parcels)
      const about = JSON.stringify(faults.slice(0, 5), null, 1)
      expect(precision ?? 1, about).toBeGreaterThanOrEqual(0.995)
      expect(recall ?? 1, about).toBeGreaterThanOrEqual(
        /clean|column|without|ids|owners$/.test(list.kind) ? 0.97 : 0.95,
      )
      expect(ties ?? 1, about).toBeGreaterThanOrEqual(0.99)
    })
  }
})

describe('addresses', () => {
  const street = [parcel('1', '12 NE MAIN ST'), parcel('2', '14 NE MAIN ST'), parcel('3', '12 SE OAK AVE')]

  test.each<[string, ListRow, [string, ...string[]]]>([
    ['spelled out', { address: '12 Northeast Main Street' }, ['matched', '1']],
    ['in one line', { address: '12 NE Main St, Bend, OR 97700-1234' }, ['matched', '1']],
    ['without commas', { address: '12 ne main st bend or' }, ['matched', '1']],
    ['with a typo', { address: '12 Mian St' }, ['matched', '1']],
    ['without suffix and direction', { address: '12 main', zip: '97700' }, ['matched', '1']],
    ['with another suffix', { address: '12 NE Main Rd' }, ['matched', '1']],
    ['with a unit that the roll lacks', { address: '12 NE Main St', unit: '4B' }, ['matched', '1']],
    ['with a ZIP code that lost its zero', { address: '12 main st', zip: '7700' }, ['matched', '1']],
    ['in another city and ZIP code', { address: '12 NE Main St', city: 'Salem', zip: '97301' }, ['parts_differ']],
    ['in another state', { address: '12 NE Main St', state: 'WA' }, ['no_such_street']],
    ['in the opposite direction', { address: '12 SW Main St' }, ['parts_differ']],
    ['with a number that the street lacks', { address: '16 NE Main St' }, ['no_such_number']],
    ['that are PO boxes', { address: 'PO Box 12' }, ['not_an_address']],
  ])('%s', (_, row, expected) => {
    expect(decide(row, street)).toEqual(expected)
  })

  test.each<[string, string]>([
    ['Las Vegas', 'North Las Vegas'],
    ['West Hartford', 'East Hartford'],
    ['Wenatchee', 'E. Wenatchee'],
  ])('the city %s is not %s', (theirs, asked) => {
    const roll = [parcel('1', '12 MAIN ST', { situsCity: theirs.toUpperCase(), situsZip: '' })]
    expect(decide({ address: '12 Main St', city: asked }, roll)).toEqual(['parts_differ'])
    expect(decide({ address: '12 Main St', city: theirs }, roll)).toEqual(['matched', '1'])
  })

  test('of two cities that differ by a letter, the one as written matches', () => {
    const roll = ['SALEM', 'SALEN'].map((situsCity) => parcel(situsCity, '12 MAIN ST', { situsCity, situsZip: '' }))
    expect(decide({ address: '12 Main St', city: 'Salem' }, roll)).toEqual(['matched', 'SALEM'])
    expect(decide({ address: '12 Main St', city: 'Salem' }, roll.slice(1))).toEqual(['matched', 'SALEN'])
  })

  test('an address in one line has its city before the state or the ZIP code, and another city does not match', () => {
    for (const place of ['Redmond, OR', 'Redmond OR 97756', 'Redmond 97756']) {
      expect(decide({ address: `12 NE Main St, ${place}` }, street)).toEqual(['parts_differ'])
    }
    expect(decide({ address: '12 NE Main St, Redmond, OR 97700' }, street)).toEqual(['matched', '1'])
  })

  test('a shared address is a tie, and the unit or the owner decides it', () => {
    const condo = [
      parcel('1', '100 ELM ST #1', { ownerName: 'JUNIPER ADA' }),
      parcel('2', '100 ELM ST #2', { ownerName: 'WEBB LINH' }),
      parcel('3', '100 ELM ST', { ownerName: 'ELM STREET CONDOMINIUM' }),
    ]
    expect(decide({ address: '100 Elm St' }, condo)).toEqual(['several_parcels', '1', '2', '3'])
    expect(decide({ address: '100 Elm St Apt 2' }, condo)).toEqual(['matched', '2'])
    expect(decide({ address: '100 Elm St', owner: 'Ada Juniper' }, condo)).toEqual(['matched', '1'])
    expect(decide({ address: '100 Elm St #9' }, condo.slice(0, 2))).toEqual(['parts_differ'])
  })

  test('the whole address of an owner comes before similar addresses of the same owner', () => {
    const roll = ['112-114 ELM ST', '114 ELM ST', '114 N ELM ST'].map((address, index) =>
      parcel(String(index), address, { ownerName: 'JUNIPER ADA' }),
    )
    expect(decide({ address: '114 Elm St', owner: 'Ada Juniper' }, roll)).toEqual(['matched', '1'])
  })

  test('a similar street does not match when the exact one is in the city', () => {
    const two = [parcel('1', '12 CLIFTON ST'), parcel('2', '40 CLINTON ST')]
    expect(decide({ address: '12 Clinton St' }, two)[0]).toBe('unsure')
    expect(decide({ address: '12 Clintom St' }, two)[0]).not.toBe('matched')
    expect(decide({ address: '12 Clifton St' }, two)).toEqual(['matched', '1'])
  })

  test('a number within a range, and letters after numbers', () => {
    const roll = [parcel('1', '74-92 BENT ST'), parcel('2', '100R BENT ST'), parcel('3', '100 BENT ST')]
    expect(decide({ address: '80 Bent St' }, roll)).toEqual(['matched', '1'])
    expect(decide({ address: '81 Bent St' }, roll)).toEqual(['no_such_number'])
    expect(decide({ address: '100 Bent St' }, roll)).toEqual(['matched', '3'])
    expect(decide({ address: '100 R Bent St' }, roll)).toEqual(['matched', '2'])
  })
})

describe('addresses that rolls of some regions have', () => {
  test.each<[string, string[], string, [string, ...string[]]]>([
    ['a numbered road by its abbreviation', ['120 COUNTY ROAD 12', '120 STATE HWY 12'], '120 CR 12', ['matched', '0']],
    [
      'a numbered road with a typo',
      ['120 COUNTY ROAD 12', '120 COUNTY ROAD 13'],
      '120 Coutny Road 12',
      ['matched', '0'],
    ],
    ['a numbered road of another class', ['120 COUNTY ROAD 12'], '120 State Route 12', ['parts_differ']],
    ['a highway in another direction', ['4501 STATE HWY 99 E'], '4501 State Highway 99 W', ['parts_differ']],
    ['a Spanish street', ['845 CALLE SOL', '845 CALLE MAR'], '845 Calle Sol', ['matched', '0']],
    [
      'a Spanish street that the roll lacks',
      ['845 CALLE MAR', '845 CALLE LAGUNA'],
      '845 Calle Sol',
      ['no_such_street'],
    ],
    ['an avenue with a letter', ['100 AVENUE A', '100 AVENUE B', '100 B ST'], '100 avenue b', ['matched', '1']],
    ['a street with a letter that the roll lacks', ['100 AVENUE B'], '100 W B Street', ['parts_differ']],
    ['a street of a grid', ['1234 N 500 W', '1234 N 500 E'], '1234 North 500 West', ['matched', '0']],
    ['a street of a grid in another direction', ['1234 N 500 E'], '1234 N 500 W', ['parts_differ']],
    [
      'a street of a grid without its direction',
      ['1234 N 500 W', '1234 S 500 W'],
      '1234 500 W',
      ['several_parcels', '0', '1'],
    ],
    ['a grid number', ['N7234 COUNTY RD B', 'N7236 COUNTY RD B'], 'N7234 County Road B', ['matched', '0']],
    ['a hyphenated number', ['42-15 KISSENA BLVD', '42-17 KISSENA BLVD'], '42-15 kissena blvd', ['matched', '0']],
    ['the first half of a hyphenated number', ['42-15 KISSENA BLVD'], '42 Kissena Blvd', ['no_such_number']],
    ['a shortened range', ['1296-98 ELM ST'], '1298 Elm St', ['matched', '0']],
    ['a letter after a dash', ['12-A ELM ST', '12 ELM ST'], '12A Elm St', ['matched', '0']],
    ['a unit and a typo', ['50 OCEAN DR', '50 OCEAN DR #12F'], '50 Ocaen Dr Unit 12F', ['matched', '1']],
  ])('%s', (_, roll, address, expected) => {
    const parcels = roll.map((situs, index) => parcel(String(index), situs))
    expect(decide({ address, city: 'Bend', state: 'OR' }, parcels)).toEqual(expected)
  })

  test('several parcels on a street with another suffix are a tie', () => {
    const roll = [parcel('1', '8 ELM ST'), parcel('2', '8 ELM ST'), parcel('3', '10 ELM TER'), parcel('4', '9 ELM ST')]
    expect(decide({ address: '8 Elm Ter' }, roll)).toEqual(['several_parcels', '1', '2'])
    expect(decide({ address: '9 Elm Ter' }, roll)).toEqual(['unsure'])
  })

  test('the only house of a street without direction may be on the street with one', () => {
    const roll = [parcel('1', '8 NE ELM ST'), parcel('2', '8 ELM ST'), parcel('3', '10 NE ELM ST')]
    expect(decide({ address: '8 Elm St' }, roll)).toEqual(['several_parcels', '1', '2'])
    expect(decide({ address: '8 Elm St' }, [...roll, parcel('4', '10 ELM ST')])).toEqual(['matched', '2'])
  })
})

describe('ids and owners', () => {
  test.each<[string, string]>([
    ['ACME LLC', 'Acme Inc'],
    ['ACME 1 LLC', 'Acme 2 LLC'],
    ['ACME FUND A LP', 'Acme Fund B LP'],
    ['ACME II LLC', 'Acme LLC'],
    ['FIRST BAPTIST CHURCH', 'Second Baptist Church'],
    ['JUNIPER ADA B', 'Ada C Juniper'],
  ])('%s is not %s', (theirs, owner) => {
    expect(decide({ owner }, [parcel('1', null, { ownerName: theirs })])).toEqual(['no_such_owner'])
    expect(decide({ owner: theirs.toLowerCase() }, [parcel('1', null, { ownerName: theirs })])).toEqual([
      'matched',
      '1',
    ])
  })

  test.each<[string, [string, ...string[]]]>([
    ['12-0001-0010', ['matched', '12-0001-0010']],
    ['1200010010', ['matched', '12-0001-0010']],
    ['12 1 10', ['matched', '12-0001-0010']],
    ['APN: 12.0001.0010', ['matched', '12-0001-0010']],
    ['121100', ['matched', '12-1100']],
    ['26.169', ['matched', '26-169']],
    ['26169', ['several_parcels', '26-169', '261-69']],
    ['99-9999', ['no_such_id']],
  ])('the id %s', (parcel_id, expected) => {
    const ids = ['12-0001-0010', '12-1100', '13-0001-0010', '26-169', '261-69']
    const roll = ids.map((id) => parcel(id, null))
    expect(decide({ parcel_id }, roll)).toEqual(expected)
  })

  test('an id and an address of different parcels are a tie, unless the owner agrees with the id', () => {
    const roll = [parcel('1-1', '12 MAIN ST', { ownerName: 'JUNIPER ADA' }), parcel('1-2', '14 MAIN ST')]
    expect(decide({ parcel_id: '1-1', address: '14 Main St' }, roll)).toEqual(['fields_disagree', '1-1', '1-2'])
    expect(decide({ parcel_id: '1-1', address: '14 Main St', owner: 'Ada Juniper' }, roll)).toEqual(['matched', '1-1'])
  })

  test.each<[string, [string, ...string[]]]>([
    ['Ada Juniper', ['matched', '1']],
    ['JUNIPER, ADA', ['matched', '1']],
    ['Ada Junipper', ['matched', '1']],
    ['Fernwood Orchards Limited Liability Company', ['several_parcels', '2', '3']],
    ['Webb Linh', ['matched', '4']],
    ['Sorrel livng trust', ['matched', '5']],
    ['sorrel liv trsut', ['matched', '5']],
    ['tansy limitde liability co', ['matched', '6']],
    ['Adam Juniper-Smith', ['no_such_owner']],
    ['Juniper', ['no_such_owner']],
  ])('the owner %s', (owner, expected) => {
    const roll = [
      parcel('1', null, { ownerName: 'JUNIPER ADA' }),
      parcel('2', null, { ownerName: 'FERNWOOD ORCHARDS, LLC' }),
      parcel('3', null, { ownerName: 'FERNWOOD ORCHARDS L.L.C.' }),
      parcel('4', null, { ownerName: 'WEBB LINH A &' }),
      parcel('5', null, { ownerName: 'SORREL LIVING TRUST' }),
      parcel('6', null, { ownerName: 'TANSY LLC' }),
    ]
    expect(decide({ owner }, roll)).toEqual(expected)
  })
})

test('an owner whose name looks like an address is found as an owner if no parcel has this address', () => {
  const roll = [
    parcel('1', null, { ownerName: '2003-013 PARTITION PLAT OWNERS O' }),
    parcel('2', '12 MAIN ST', { ownerName: 'JUNIPER ADA' }),
    parcel('3', '14 ELM ST', { ownerName: '12 MAIN ST' }),
    parcel('4', '16 ELM ST', { ownerName: '18 OAK AVE' }),
  ]
  expect(decide({ owner: '2003-013 Partition Plat Owners O' }, roll)).toEqual(['matched', '1'])
  expect(decide({ owner: '18 Oak Ave' }, roll)).toEqual(['matched', '4'])
  expect(decide({ owner: '12 Main St' }, roll)).toEqual(['matched', '2'])
  expect(decide({ owner: '12 Mian St' }, roll.slice(0, 2))).toEqual(['matched', '2'])
  expect(decide({ owner: '12 Main St', address: '16 Elm St' }, roll)).toEqual(['matched', '4'])
})

test.each<[ListRow, ListRow]>([
  [
    { owner: '12 Main St', address: 'Juniper Ada' },
    { owner: 'Juniper Ada', address: '12 Main St' },
  ],
  [
    { city: '97700', zip: 'Bend' },
    { city: 'Bend', zip: '97700' },
  ],
  [
    { owner: '173 Charles Street LLC', address: '173 Charles St' },
    { owner: '173 Charles Street LLC', address: '173 Charles St' },
  ],
  [{ address: 'Ranch on the hill' }, { address: 'Ranch on the hill' }],
])('values in the wrong columns are still matched: %j', (row, expected) => {
  expect(untangleRow(row)).toEqual(expected)
})

test.each<[string, string, string, string, string]>([
  ['2645 NE Town Center Dr #4', '2645', 'ne', 'towncenter', '4'],
  ['100 B Street', '100', '', 'b', ''],
  ['100 B Main Street', '100b', '', 'main', ''],
  ['6th Ave', '', '', 'sixth', ''],
  ['12 1/2 Oak Ct', '12.5', '', 'oak', ''],
  ['74 - 92 St Johns Ave', '74-92', '', 'saintjohns', ''],
])('the parts of %s', (text, number, direction, name, unit) => {
  const address = readAddress(text, false)
  expect({ ...address, streets: address?.streets[0] }).toMatchObject({
    ...{ number: { text: number }, unit },
    streets: { direction, name },
  })
})

test('columns are guessed from their names, and those of the property come before those of its owner', () => {
  const columns = ['Ref', 'Parcel No.', 'Owner Name', 'Mail City', 'Mail Zip', 'SITUS_ADDR', 'Situs City', 'ZIP']
  expect(Object.fromEntries(guessColumns(columns))).toEqual({
    ...{ 'Parcel No.': 'parcel_id', 'Owner Name': 'owner', SITUS_ADDR: 'address', 'Situs City': 'city', ZIP: 'zip' },
  })
})

test('an address can be a house number and a street in two columns, joined in the order of the list', () => {
  for (const [house, street] of [
    ['House No', 'Street Name'],
    ['No', 'Street'],
    ['SITUS_NUM', 'STREET'],
    ['Address Number', 'StreetName'],
  ] as const) {
    const columns = Object.fromEntries(guessColumns(['Zip', house, street]))
    expect(columns).toEqual({ Zip: 'zip', [house]: 'address', [street]: 'address' })
    const input = { Zip: '97600', [house]: ' 410', [street]: 'N ALDER ST ', constructor: 'x' }
    expect(toListRow(input, columns)).toEqual({ row: { zip: '97600', address: '410 N ALDER ST' }, problem: null })
  }
  // A whole address needs no number.
  expect(Object.fromEntries(guessColumns(['No', 'Street Address']))).toEqual({ 'Street Address': 'address' })
})

test('memory use does not grow with the number of different words of the parcels', () => {
  const matcher = createListMatcher([{ owner: 'Juniper Ada' }])
  const heapAfter = (from: number, to: number): number => {
    for (let n = from; n < to; n++) matcher.see(parcel(`${n}`, null, { ownerName: `LOT${n} LLC` }))
    Bun.gc(true)
    return heapStats().heapSize
  }
  const before = heapAfter(0, 90_000)
  expect(heapAfter(90_000, 270_000)).toBeLessThan(1.3 * before)
  expect(matcher.decide(0).outcome).toBe('no_match')
})
