import { expect, test } from 'bun:test'
import { drawOutlines } from '../../../src/web/app/pages/parcel/outlines'

const rectangle = (east: number, north: number) => ({
  type: 'MultiPolygon' as const,
  coordinates: [
    [
      [
        [0, 0],
        [east, 0],
        [east, north],
        [0, north],
        [0, 0],
      ],
    ],
  ],
})

test('outlines fill the drawing to the same scale, with north up', () => {
  // At the equator, a degree is as wide as high.
  const [small, large] = drawOutlines([rectangle(0.001, 0.001), rectangle(0.002, 0.002)], { width: 112, height: 112 })
  expect(small).toBe('M6.0 106.0L56.0 106.0L56.0 56.0L6.0 56.0L6.0 106.0Z')
  expect(large).toBe('M6.0 106.0L106.0 106.0L106.0 6.0L6.0 6.0L6.0 106.0Z')
})

test('in the north, a degree of longitude is narrower', () => {
  const north = {
    ...rectangle(0, 0),
    coordinates: [
      [
        [
          [0, 60],
          [0.002, 60],
          [0.002, 60.001],
          [0, 60.001],
          [0, 60],
        ],
      ],
    ],
  }
  const [path = ''] = drawOutlines([north], { width: 112, height: 112 })
  expect(path.match(/[\d.]+/g)?.map(Number)).toEqual([6, 106, 106, 106, 106, 6, 6, 6, 6, 106])
})
