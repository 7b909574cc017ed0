import { describe, expect, test } from 'bun:test'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import topology from 'us-atlas/counties-10m.json' with { type: 'json' }
import { listCountyAreas, type Outlines } from '../../src/web/app/map/county-areas'

const { counties } = (topology as unknown as Topology).objects
const outlines = feature(topology as unknown as Topology, counties as GeometryCollection) as unknown as Outlines

const source = (slug: string, state: string, county_name: string, bbox: number[] | null, parcels = 10) => ({
  source: slug,
  state,
  county_name,
  bbox,
  parcels,
})
const shapeOf = (fips: string) => outlines.features.find(({ id }) => id === fips)?.geometry

describe('counties on the map', () => {
  test('a county has the outline of the Census, by its state and name, with or without the word "County"', () => {
    const box = [-123, 45.5, -122.9, 45.6]
    for (const name of ['Washington', 'Washington County', 'WASHINGTON']) {
      expect(listCountyAreas([source('a', 'OR', name, box)], outlines)[0]?.shape).toEqual(shapeOf('41067') as never)
    }
  })

  test('the sources of a county are one area, with the parcels of all', () => {
    const [area, ...others] = listCountyAreas(
      [
        source('cambridge', 'MA', 'Middlesex', [-71.16, 42.35, -71.06, 42.4], 13_000),
        source('lowell', 'MA', 'Middlesex', [-71.38, 42.6, -71.27, 42.67], 20_000),
      ],
      outlines,
    )
    expect(others).toEqual([])
    expect(area).toMatchObject({
      name: 'Middlesex, MA',
      sources: ['cambridge', 'lowell'],
      parcels: 33_000,
      bbox: [-71.38, 42.35, -71.06, 42.67],
    })
    expect(area?.shape).toEqual(shapeOf('25017') as never)
  })

  test('of a county and a city with the same name, the one where the parcels are is drawn', () => {
    const [county] = listCountyAreas([source('a', 'VA', 'Roanoke', [-80.3, 37.15, -80.25, 37.2])], outlines)
    const [city] = listCountyAreas([source('b', 'VA', 'Roanoke City', [-79.97, 37.25, -79.92, 37.29])], outlines)
    expect(county?.shape).toEqual(shapeOf('51161') as never)
    expect(city?.shape).toEqual(shapeOf('51770') as never)
  })

  test('an invented county is the box of its parcels, and so is every county before the outlines are loaded', () => {
    const box = [-120.55, 43.86, -120.45, 43.94]
    const ring = [
      [-120.55, 43.86],
      [-120.45, 43.86],
      [-120.45, 43.94],
      [-120.55, 43.94],
      [-120.55, 43.86],
    ]
    const polygon = { type: 'Polygon' as const, coordinates: [ring] }
    expect(listCountyAreas([source('a', 'OR', 'Larkspur', box)], outlines)[0]?.shape).toEqual(polygon)
    expect(listCountyAreas([source('a', 'OR', 'Washington', box)], null)[0]?.shape).toEqual(polygon)
  })

  test('a source without parcels on the map is left out, and the largest county is first', () => {
    const areas = listCountyAreas(
      [
        source('a', 'OR', 'Larkspur', null),
        source('b', 'OR', 'Wasco', [-121.5, 45, -121, 45.5], 0),
        source('c', 'OR', 'Lane', [-123, 44, -122.9, 44.1], 5),
        source('d', 'OR', 'Linn', [-123, 44.5, -122.9, 44.6], 6),
      ],
      outlines,
    )
    expect(areas.map(({ name }) => name)).toEqual(['Linn, OR', 'Lane, OR'])
  })
})
