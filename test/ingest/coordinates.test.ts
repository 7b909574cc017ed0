import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { Coordinates } from '../../src/ingest/coordinates/coordinates'
import { findByCode, findByDefinition } from '../../src/ingest/coordinates/systems'
import { greatestDistance, hasGdal, transform } from './files/gdal'
import { inFolder } from './files/write-fixture'

/** A place in the area of each system: west, south, east, north. */
const SYSTEMS: [code: number, name: string, west: number, south: number, east: number, north: number][] = [
  [2913, 'State Plane, NAD83(HARN), international feet', -123, 44.5, -117, 45.8],
  [2269, 'State Plane, NAD83, international feet', -123, 44.5, -117, 45.8],
  [2276, 'State Plane, NAD83, US feet', -102, 32, -95, 33.5],
  [2249, 'State Plane, NAD83, US feet, New England', -73, 41.6, -70.5, 42.8],
  [26986, 'State Plane, NAD83, metres', -73, 41.6, -70.5, 42.8],
  [3435, 'State Plane, NAD83, US feet, transverse Mercator', -88.9, 37.5, -87.5, 42.4],
  [6454, 'State Plane, NAD83(2011), metres', -88.9, 37.5, -87.5, 42.4],
  [6557, 'State Plane, NAD83(2011), international feet', -123, 42.1, -118, 43.5],
  [3629, 'State Plane, NAD83(NSRS2007), US feet', -79.7, 42, -77.4, 43.6],
  [32027, 'State Plane, NAD27, US feet, west of the Mississippi', -123, 44.5, -117, 45.8],
  [32024, 'State Plane, NAD27, US feet, Oklahoma', -102, 35.5, -94.6, 36.9],
  [26758, 'State Plane, NAD27, US feet, Florida', -82, 26, -80.2, 30],
  [26931, 'State Plane, NAD83, oblique Mercator', -135, 55, -131, 58],
  [26734, 'State Plane, NAD27, US feet, Alaska', -151.9, 60, -148.1, 69],
  [26963, 'State Plane, NAD83, Hawaii', -158.3, 21.2, -157.6, 21.7],
  [26910, 'UTM, NAD83', -125, 35, -120.5, 48],
  [26715, 'UTM, NAD27', -95.9, 33, -90.1, 45],
  [32618, 'UTM, WGS 84', -77.9, 34, -72.1, 44],
  [3857, 'Web Mercator', -124, 25, -67, 49],
  [4269, 'NAD83 geographic', -124, 25, -67, 49],
  [3310, 'Albers, NAD83', -124, 33, -115, 42],
  [3078, 'Michigan, oblique Mercator', -89, 42, -83, 46],
  [3071, 'Wisconsin, NAD83(HARN)', -92, 43, -87.5, 46.5],
]
const POINTS = 1_000

/** The points of a Halton sequence. */
const spread = (index: number, base: number): number => {
  let [fraction, result] = [1, 0]
  for (let rest = index + 1; rest > 0; rest = Math.floor(rest / base)) {
    fraction /= base
    result += fraction * (rest % base)
  }
  return result
}

test.skipIf(!hasGdal).each(SYSTEMS)('EPSG:%i (%s) is within 0.5 m of GDAL', (code, _, west, south, east, north) => {
  const places = Array.from({ length: POINTS }, (_, index) => [
    west + (east - west) * spread(index, 2),
    south + (north - south) * spread(index, 3),
  ])
  const projected = transform(places, 'EPSG:4326', `EPSG:${code}`)
  const expected = transform(projected, `EPSG:${code}`, 'EPSG:4326')
  const coordinates = new Coordinates(`EPSG:${code}`)
  coordinates.declare({ crs: null, from: 'test' })
  const line = { type: 'LineString', coordinates: projected.map((position) => [...position]) }
  coordinates.toLonLat(line)
  expect(line.coordinates).toHaveLength(POINTS)
  expect(greatestDistance(line.coordinates, expected)).toBeLessThan(0.5)
})

const ESRI_WKT =
  'PROJCS["NAD_1983_StatePlane_Oregon_North_FIPS_3601_Feet_Intl",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",8202099.737532808],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-120.5],PARAMETER["Standard_Parallel_1",44.33333333333334],PARAMETER["Standard_Parallel_2",46.0],PARAMETER["Latitude_Of_Origin",43.66666666666666],UNIT["Foot",0.3048]]'
const WEB_MERCATOR =
  'PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]'

test("a definition in ESRI's WKT is the system of EPSG with the same projection", () => {
  expect(findByDefinition(ESRI_WKT).name).toBe('NAD83 / Oregon North (ft) (EPSG:2269)')
  expect(
    findByDefinition(
      ESRI_WKT.replace(
        '"GCS_North_American_1983",DATUM["D_North_American_1983"',
        '"GCS_NAD_1983_2011",DATUM["D_NAD_1983_2011"',
      ),
    ).name,
  ).toBe('NAD83(2011) / Oregon North (ft) (EPSG:6559)')
  expect(findByDefinition(WEB_MERCATOR).name).toBe('WGS 84 / Pseudo-Mercator (EPSG:3857)')
  const local = findByDefinition(ESRI_WKT.replace('-120.5', '-121.25').replace('NAD_1983_StatePlane', 'Elm_County'))
  expect(local.name).toStartWith('Elm_County')
  expect(local.inverse?.([8202099.737532808, 0])[0]).toBeCloseTo(-121.25, 9)
})

const VERTICAL = 'DATUM["North American Vertical Datum 1988",2005],AXIS["Gravity-related height",UP]'

test('a system with heights is its horizontal system', () => {
  for (const definition of [
    `COMPD_CS["Oregon North + NAVD88 [ft]",${ESRI_WKT},VERT_CS["NAVD88",VERT_${VERTICAL},UNIT["Foot",0.3048]]]`,
    ` COMPOUNDCRS["Oregon ""North""",\n  ${ESRI_WKT},\n  VERTCRS["NAVD88",V${VERTICAL},LENGTHUNIT["foot",0.3048]]]`,
  ])
    expect(findByDefinition(definition).name).toBe('NAD83 / Oregon North (ft) (EPSG:2269)')
  // NAD83 + NAVD88 height, and NAD83(2011) with heights.
  expect([5498, 6349, 6319].map((code) => findByCode(code)?.name)).toEqual([
    'NAD83 (EPSG:4269)',
    'NAD83(2011) (EPSG:6318)',
    'NAD83(2011) (EPSG:6318)',
  ])
  expect(() => new Coordinates(null).declare({ crs: 'COMPD_CS["Elm",', from: 'lots.prj' })).toThrow(
    'lots.prj: the coordinate system is not known',
  )
})

test('a code of ESRI is refused as that, and a definition that cannot be read is quoted only once', () => {
  const declare = (crs: string) => new Coordinates(null).declare({ crs, from: 'lots.prj' })
  expect(() => declare('ESRI:102726')).toThrow(
    'lots.prj: ESRI:102726 is a code of ESRI, and only codes of EPSG are known. Which one is it?',
  )
  expect(() => declare('EPSG:27700')).toThrow(
    'EPSG:27700 is not one of the coordinate systems used in the United States',
  )
  const long = `BOUNDCRS["${'Elm '.repeat(500)}"]`
  expect(() => declare(long)).toThrow(/^.{1,500}$/)
})

test('a file with longitude and latitude swapped is refused as that', () => {
  const swapped = {
    crs: 'EPSG:4326',
    from: 'lots.prj',
    extent: [44, -121, 45, -120] as [number, number, number, number],
  }
  expect(() => new Coordinates(null).declare(swapped)).toThrow(
    'lots.prj: [44.50, -120.50] cannot be WGS 84 (EPSG:4326): its axes are swapped, because longitude comes first. Write the file again with longitude first',
  )
})

test('a datum that is not of the United States is refused', () => {
  expect(() => findByDefinition(ESRI_WKT.replaceAll('North_American_1983', 'Elm_1901'))).toThrow(
    'its datum "D_Elm_1901" is not known',
  )
})

test('the report names the system, the datum shift and its accuracy', () => {
  const convert = (code: number, x: number, y: number) => {
    const coordinates = new Coordinates(`EPSG:${code}`)
    coordinates.declare({ crs: null, from: 'test' })
    coordinates.toLonLat({ type: 'Point', coordinates: [x, y] })
    return coordinates.notes()
  }
  expect(convert(2269, 7_600_000, 680_000)).toEqual([
    'NAD83 / Oregon North (ft) (EPSG:2269): NAD83 to WGS 84 not shifted, accurate to about 4 m',
  ])
  expect(convert(32026, 2_000_000, 400_000)).toEqual([
    expect.stringContaining('NAD27 to WGS 84 shifted by EPSG:1175, accurate to about 7 m'),
  ])
  expect(new Coordinates(null).notes()).toEqual([])
  expect(findByCode(99_999)).toBeNull()
})

test('a position outside the projection is refused, naming the coordinate system', () => {
  const coordinates = new Coordinates('EPSG:2913')
  coordinates.declare({ crs: null, from: 'test' })
  const far = { type: 'Point', coordinates: [Number.NaN, 0] }
  expect(() => coordinates.toLonLat(far)).toThrow('is not a position of NAD83(HARN) / Oregon North (ft)')
})

/** The version of the EPSG data set that the table was written from. A newer PROJ has a newer one. */
const EPSG_VERSION = 'v10.076'
const installedEpsg = (): string | null => {
  if (!existsSync('/usr/share/proj/proj.db')) return null
  using proj = new Database('/usr/share/proj/proj.db', { readonly: true })
  return proj.query<{ value: string }, []>(`select value from metadata where key = 'EPSG.VERSION'`).get()?.value ?? null
}

test.skipIf(installedEpsg() !== EPSG_VERSION)(
  'the table of coordinate systems is the one that bun run crs:generate writes',
  () => {
    const file = inFolder('systems.json')
    const { exitCode } = Bun.spawnSync(['bun', 'dev/coordinate-systems.ts', file], { timeout: 60_000 })
    expect(exitCode).toBe(0)
    expect(readFileSync(file, 'utf8') === readFileSync('src/ingest/coordinates/systems.json', 'utf8')).toBe(true)
  },
)
