import { expect, test } from 'bun:test'
import { formatCoordinates, parcelText } from '../../src/web/app/pages/parcel/parcel-text'

test('a parcel as text lists its known fields, with its coordinates and the address of its page', () => {
  const ring = [
    [-120.55, 43.86],
    [-120.53, 43.86],
    [-120.53, 43.88],
    [-120.55, 43.86],
  ]
  const parcel = {
    ...{ source: 'sample-county', source_parcel_id: '12-1', owner_name: 'JUNIPER ADA', owner_names_all: [] },
    ...{
      owner_mailing_address: null,
      situs_address: '1 ALDER ST',
      situs_city: 'LARKSPUR',
      situs_state: 'OR',
      situs_zip: null,
    },
    ...{ acreage: 1.234, land_use_class: null, zoning_code: 'R-7', zoning_description: 'Houses' },
    ...{ assessed_value: 250_000, value_land: null, value_improvement: 0 },
    geom_geojson: { type: 'MultiPolygon', coordinates: [[ring]] },
    ...{ lon: -120.5, lat: 43.8 },
  }
  expect(parcelText(parcel, 'Larkspur, OR', 'https://parcels.example/p').split('\n')).toEqual([
    'Address: 1 ALDER ST, LARKSPUR, OR',
    'Parcel: 12-1 (Larkspur, OR)',
    'Owner: JUNIPER ADA',
    'Acres: 1.23',
    'Zoning: R-7: Houses',
    'Assessed value: $250,000',
    'Buildings: $0',
    'Coordinates: 43.87000, -120.54000',
    'https://parcels.example/p',
  ])
  expect(formatCoordinates(null)).toBeNull()

  // If no acreage is recorded, the boundary is measured: a triangle of 1,603 by 2,224 m.
  const unmeasured = parcelText({ ...parcel, acreage: null }, 'Larkspur, OR', 'https://parcels.example/p')
  expect(unmeasured).toContain('\nAcres on the map: 440.5')
  expect(parcelText({ ...parcel, acreage: null, geom_geojson: null }, 'Larkspur, OR', '')).not.toContain('Acres')
})
