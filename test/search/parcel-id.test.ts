import { expect, test } from 'bun:test'
import { dropIdLabels, looksLikeId, spellId } from '../../search/query/parcel-id'
import { compareIds } from '../../search/rank/compare-ids'

const compare = (typed: string, id: string) => compareIds(spellId(typed), id)

test('an id is spelled with all its digits, and without leading zeros, labels and borders', () => {
  expect(spellId('12-0001 0010')).toEqual(['1200010010', '12x1x10', '12110'])
  expect(spellId('MAP 12 LOT 003')).toEqual(['map12lot003', '12x3', '123'])
  expect(spellId('1N130CB00100')).toEqual(['1n130cb00100', '1n130cb100', '1n130cb100'])
})

test.each([
  ['apn 12-0001-0010', '12-0001-0010'],
  ['APN: 12-0001-0010', '12-0001-0010'],
  ['parcel #12-3', '12-3'],
  ['parcel number 12-3', '12-3'],
  ['tax lot 1N130CB00100', '1N130CB00100'],
  ['TL 1N130CB00100', '1N130CB00100'],
  ['property id 12-3', '12-3'],
  ['schedule no. 12-3', '12-3'],
  ['map 12 lot 3', '12-3'],
  ['map 12 block 4 lot 3', '12-4-3'],
  ['block 12 lot 3', '12-3'],
  ['ML: 12-3', '12-3'],
  ['m/l 12-3', '12-3'],
  ['map & lot 12-3', '12-3'],
  ['12 lot 3', '12-3'],
  ['1N 1 30CB TL 100', '1N 1 30CB-100'],
  ['1N130CB TL100', '1N130CB-100'],
  ['map 12, parcel no. 3', '12-3'],
  ['map: 12; lot: 3', '12-3'],
  ['plat 12 lot 3', '12-3'],
  ["assessor's map 12 lot 3", '12-3'],
  ['lot 3 map 12', '12-3'],
  ['lot 3 on map 12', '12-3'],
  ['tax lot 100 of tax map 1N130CB', '1N130CB-100'],
  ['M12 L3', '12-3'],
  ['m: 12, l: 3', '12-3'],
  ['m12l3', '12-3'],
  ['parcel id: 12-3, salem', '12-3'],
  ['apn 1N130CB00100 juniper', '1N130CB00100'],
  ['parcel of juniper', null],
  ['tmk 1-9-1-013-027', '1-9-1-013-027'],
  ['parcel mnfv 2297.872', 'mnfv 2297.872'],
  ['map 12 lo', '12'],
  ['lot 12 juniper', null],
  ['maple 12', null],
  ['tlaloc 12', null],
  ['lotus 12', null],
  ['12 oak lot 3', null],
  ['12 unit 3', null],
  ['map street', null],
  ['12-3', null],
])('the id in "%s" is %p', (text, expected) => {
  expect(dropIdLabels(text)).toBe(expected)
})

test.each([
  ['12-0001-0010', true],
  ['1N 30CB 100', true],
  ['12', true],
  ['12 oak', false],
  ['56th', false],
  ['jones 4', false],
  ['MNFV 2297.872', true],
  ['VBE 1234567', true],
  ['gary 46402', false],
  ['juniper 12-16', false],
])('"%s" may be an id: %p', (text, expected) => {
  expect(looksLikeId(text)).toBe(expected)
})

test('an id without leading zeros, a beginning and an id with a wrong digit are similar, in this order', () => {
  const id = '12-0001-0010'
  const similarities = ['12-1-10', '12-0001-00', '12-0001-0011', '12-1-1'].map((typed) => compare(typed, id))
  expect(similarities).toEqual(similarities.toSorted((a, b) => b - a))
  expect(Math.min(...similarities)).toBeGreaterThan(0)
  expect(compare('13-0002', id)).toBe(0)
})

test('the more of an id is typed, the more similar it is', () => {
  const id = '1N130CB00100'
  const similarities = [...id].map((_, index) => compare(id.slice(0, index + 1), id))
  expect(similarities).toEqual(similarities.toSorted((a, b) => a - b))
})

test('typed zeros are not left out: "1S202BA0900" is not "1S202BA00900" before "1S202BA09001"', () => {
  expect(compare('1S202BA0900', '1S202BA09001')).toBeGreaterThan(compare('1S202BA0900', '1S202BA00900'))
})
