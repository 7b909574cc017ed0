import { expect, test } from 'bun:test'
import { boxAround, cornersOf, readArea, writeArea } from '../../../src/web/app/pages/map/drawing/area'
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

test('a text that a spreadsheet would take for a formula stays a text', () => {
  const rows = [{ owner: '=HYPERLINK("http://x.example")', city: ' @SUM(A1;B1)', value: -5, note: null }]
  expect(toCsv(['owner', 'city', 'value', 'note'], rows)).toBe(
    'owner,city,value,note\r\n"\'=HYPERLINK(""http://x.example"")","\' @SUM(A1;B1)",-5,\r\n',
  )
})
