import { expect, test } from 'bun:test'
import { findBy, SOUND_LOT } from './review-input'

const judge = (acreage: number | null, landUseClass = 'RESIDENTIAL', geom = SOUND_LOT) =>
  findBy('acreage-against-area', { parcel: { acreage, landUseClass, geom } })

test('acreage and area that differ by more than a tenth are a finding', () => {
  // 0.001° by 0.001° at 43.9° N: 80.3 m by 111.1 m on WGS 84.
  expect(judge(2)).toEqual([
    { subject: '', severity: 'low', evidence: { acreage: 2, polygon_acres: 2.201, difference_pct: 10.1 } },
  ])
  expect(judge(2.1)).toEqual([])
  expect(judge(2.4)).toEqual([])
  expect(judge(2.5)[0]?.severity).toBe('low')
  expect(judge(40)[0]).toMatchObject({ severity: 'medium', evidence: { difference_pct: -94.5 } })
})

test("rounding, missing acreage and a condominium's share are not findings", () => {
  const [[ring = []] = []] = SOUND_LOT.coordinates
  // A tenth off in each direction: 0.022 acres, published as 0.02 or 0.03.
  const small = {
    ...SOUND_LOT,
    coordinates: [[ring.map(([x = 0, y = 0]) => [-120.5 + (x + 120.5) * 0.1, 43.9 + (y - 43.9) * 0.1])]],
  }
  expect(judge(0.03, 'RESIDENTIAL', small)).toEqual([])
  expect(judge(0.04, 'RESIDENTIAL', small)).toHaveLength(1)
  expect(judge(0)).toEqual([])
  expect(judge(null)).toEqual([])
  expect(judge(0.1, 'CONDOMINIUM')).toEqual([])
})
