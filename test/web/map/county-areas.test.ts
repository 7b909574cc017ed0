import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bbox } from '../../../core/geometry/bbox'
import { listCountyAreas } from '../../../src/web/app/pages/map/counties/county-areas'

const source = (slug: string, state: string, county_name: string, bbox: number[] | null, parcels = 10) => ({
  source: slug,
  state,
  county_name,
  bbox,
  parcels,
})

test('the sources of a county form one area, with the parcels of all', () => {
  const areas = listCountyAreas([
    source('cambridge', 'MA', 'Middlesex', [-71.16, 42.35, -71.06, 42.4], 13_000),
    source('lowell', 'MA', 'Middlesex County', [-71.38, 42.6, -71.27, 42.67], 20_000),
  ])
  expect(areas).toEqual([
    {
      name: 'Middlesex, MA',
      sources: ['cambridge', 'lowell'],
      parcels: 33_000,
      bbox: [-71.38, 42.35, -71.06, 42.67],
      isPlaced: true,
    },
  ])
})

test('a county whose parcels have no known location has the box of the county', () => {
  const boxOfCounty = (key: string): Bbox | null => (key === 'OR washington' ? [-123.5, 45.3, -122.7, 45.8] : null)
  const areas = listCountyAreas(
    [source('hillsboro', 'OR', 'Washington', null), source('invented', 'OR', 'Larkspur', null)],
    boxOfCounty,
  )
  expect(areas).toEqual([
    {
      name: 'Washington, OR',
      sources: ['hillsboro'],
      parcels: 10,
      bbox: [-123.5, 45.3, -122.7, 45.8],
      isPlaced: false,
    },
  ])
})

test('a county without parcels, or with an unknown location, is left out, and the largest county is first', () => {
  const areas = listCountyAreas([
    source('a', 'OR', 'Larkspur', null),
    source('b', 'OR', 'Wasco', [-121.5, 45, -121, 45.5], 0),
    source('c', 'OR', 'Lane', [-123, 44, -122.9, 44.1], 5),
    source('d', 'OR', 'Linn', [-123, 44.5, -122.9, 44.6], 6),
  ])
  expect(areas.map(({ name }) => name)).toEqual(['Linn, OR', 'Lane, OR'])
})

test('the lakes and rivers of the base map are those that bun run water:generate writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'us-water-'))
  const file = join(folder, 'us-water.geojson')
  const { exitCode } = Bun.spawnSync(['bun', 'dev/us-water.ts', file], { timeout: 60_000 })
  expect(exitCode).toBe(0)
  expect(readFileSync(file, 'utf8') === readFileSync('src/web/app/pages/map/base-map/us-water.geojson', 'utf8')).toBe(
    true,
  )
  rmSync(folder, { recursive: true })
})
