import { expect, test } from 'bun:test'
import { boxAround, cornersOf, readArea, writeArea, writeBox } from '../../../src/web/app/pages/map/drawing/area'
import { formatArea, formatLength, lengthOf } from '../../../src/web/app/pages/map/drawing/measure'
import { toCsv } from '../../../src/web/app/pages/search/csv'

test('a degree along the equator is 111.2 km', () => {
  const meters = lengthOf([
    [0, 0],
    [1, 0],
  ])
  expect(meters).toBeCloseTo(111_195, 0)
  expect(formatLength(meters)).toBe('69.09 mi (111.2 km)')
  expect(formatLength(12.34)).toBe('40.5 ft (12.3 m)')
})

test('an area is in acres, and a small one in square feet too', () => {
  // About 201 m by 201 m: ten acres.
  const side = 201.17 / 111_195
  const corners = cornersOf(`0,0,${side},${side}`)
  expect(formatArea(corners)).toBe('10 acres, 2,640 ft (805 m) around')
  expect(formatArea(cornersOf('0,0,0.0003,0.0003'))).toStartWith('11,978 sq ft, 0.275 acres')
})

test('an area in the address is read as it was written, and anything else is not an area', () => {
  const area = [
    [-120.5, 43.8],
    [-120.4, 43.8],
    [-120.4, 43.9],
  ] as const
  expect(writeArea(area)).toBe('-120.5,43.8 -120.4,43.8 -120.4,43.9')
  expect(readArea(writeArea(area))).toEqual(area.map(([lon, lat]) => [lon, lat]))
  expect(boxAround(area)).toEqual([-120.5, 43.8, -120.4, 43.9])
  for (const text of ['', '1,2 3,4', '1,2 3,4 999,1', 'x y z', '1,2,3 4,5,6 7,8,9']) expect(readArea(text)).toEqual([])
})

test('an area and a box beyond the antimeridian have longitudes that the service takes', () => {
  expect(writeArea(cornersOf('182,51,184,52'))).toBe('-178,51 -176,51 -176,52 -178,52')
  expect(writeArea(cornersOf('-190,51,-185,52'))).toBe('170,51 175,51 175,52 170,52')
  // The service takes no polygon across the antimeridian.
  expect(writeArea(cornersOf('172,51,184,52'))).toBe('172,51 180,51 180,52 172,52')
  expect(writeBox([-121, 43, -120, 44])).toBe('-121.00000,43.00000,-120.00000,44.00000')
  expect(writeBox([172, 51, 184, 53])).toBe('172.00000,51.00000,-176.00000,53.00000')
  expect(writeBox([182, 51, 184, 53])).toBe('-178.00000,51.00000,-176.00000,53.00000')
  expect(writeBox([-300, -60, 200, 80])).toBe('-180.00000,-60.00000,180.00000,80.00000')
  expect(boxAround(cornersOf('172,51,-176,53'))).toEqual([172, 51, 184, 53])
})

test('a text that a spreadsheet would take for a formula stays a text', () => {
  const rows = [{ owner: '=HYPERLINK("http://x.example")', city: ' @SUM(A1;B1)', value: -5, note: null }]
  expect(toCsv(['owner', 'city', 'value', 'note'], rows)).toBe(
    'owner,city,value,note\r\n"\'=HYPERLINK(""http://x.example"")","\' @SUM(A1;B1)",-5,\r\n',
  )
})
