import { expect, test } from 'bun:test'
import { countyKey, countyTitle, listCountyNames } from '../../../core/sources/county-names'

test.each([
  ['Washington County', 'washington'],
  ['WASHINGTON', 'washington county'],
  [' Prince  Georges county ', 'prince georges'],
  ['Orleans', 'orleans parish'],
  ['St Clair', 'st. clair'],
  ['Saint Clair County', 'st. clair'],
  ['St. Clair', 'saint clair'],
  ['County', 'county'],
  ['De Kalb', 'dekalb county'],
  ['LaSalle County', 'la salle'],
  ['Prince Georges', "prince george's"],
  ['Prince George’s County', 'prince georges'],
  ['OBrien', "o'brien"],
  ['Miami Dade', 'miami-dade'],
  ['Dona Ana County', 'doña ana'],
  ['Lake', 'lake'],
  ['Des Moines', 'des moines'],
])('%s also means %s', (asked, stored) => {
  expect(listCountyNames(asked)).toContain(stored)
})

test.each([
  ['Baltimore', 'baltimore city'],
  ['Baltimore City', 'baltimore'],
  ['Stanton', 'st. anton'],
  ['Oak', 'oak park'],
])('%s does not mean %s', (asked, stored) => {
  expect(listCountyNames(asked)).not.toContain(stored)
})

test('the key of a county ignores "County", capitals and accents, but not "City"', () => {
  expect(countyKey('NM', 'Doña Ana County')).toBe(countyKey('NM', 'DONA ANA'))
  expect(countyKey('IL', 'De Kalb')).toBe(countyKey('IL', 'DeKalb County'))
  expect(countyKey('FL', 'Miami Dade')).toBe(countyKey('FL', 'Miami-Dade County'))
  expect(countyKey('AL', 'Saint Clair')).toBe(countyKey('AL', 'St. Clair'))
  expect(countyKey('MD', 'City of Baltimore')).toBe(countyKey('MD', 'Baltimore City'))
  expect(countyKey('MD', 'Baltimore City')).not.toBe(countyKey('MD', 'Baltimore County'))
})

test.each([
  ['Washington', 'Washington County'],
  ['Washington County', 'Washington County'],
  ['Orleans Parish', 'Orleans Parish'],
  ['Carson City', 'Carson City'],
])('pages call %s "%s"', (name, title) => {
  expect(countyTitle(name)).toBe(title)
})
