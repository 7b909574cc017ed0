import proj4 from 'proj4'
import type { Bbox } from '../../../core/geometry/bbox'

/** A Helmert transformation to WGS 84, as proj4 writes it: meters; with seven values also arc seconds and parts per million. */
interface Shift {
  /** The code of the EPSG data set. */
  epsg: number
  toWgs84: string
  /** Where it is used: west, south, east, north. */
  area: Bbox
  accuracyM: number
}

interface Datum {
  ellipsoid: string
  /** How WKT writes the datum, besides its EPSG name. */
  pattern: RegExp
  /** In the order in which they are tried. Where none applies, coordinates stay the same. */
  shifts: readonly Shift[]
  /** The accuracy where no shift is needed. */
  accuracyM: number
}

const CONUS: Bbox = [-124.79, 24.41, -66.91, 49.38]

/**
 * The datums of US coordinate systems, by the name of their geographic system in EPSG, and their shifts from EPSG 10.076 that need no
 * grid files. GDAL uses the same without grids, but for NAD27 in New England and the Alaska Panhandle it uses Canada's, up to 30 m away.
 */
export const DATUMS: Readonly<Record<string, Datum>> = {
  'WGS 84': { ellipsoid: 'WGS84', pattern: /WGS_?(?:19)?84/, shifts: [], accuracyM: 0 },
  NAD27: {
    ellipsoid: 'clrk66',
    pattern: /NAD_?(?:19)?27|AMERICAN_(?:DATUM_)?1927/,
    shifts: [
      { epsg: 1175, toWgs84: '-8,159,175', area: [-124.79, 25.83, -89.64, 49.05], accuracyM: 7 },
      { epsg: 1173, toWgs84: '-8,160,176', area: CONUS, accuracyM: 10 },
      { epsg: 1176, toWgs84: '-5,135,172', area: [-168.26, 54.34, -129.99, 71.4], accuracyM: 12 },
      { epsg: 1249, toWgs84: '-2,152,149', area: [-178.3, 51.54, -164.84, 54.34], accuracyM: 15 },
      { epsg: 1250, toWgs84: '2,204,105', area: [172.42, 51.3, 179.86, 53.07], accuracyM: 18 },
    ],
    accuracyM: 200,
  },
  'NAD83(HARN)': {
    ellipsoid: 'GRS80',
    pattern: /HARN|HIGH_ACCURACY/,
    shifts: [
      {
        epsg: 1901,
        toWgs84: '-0.991,1.9072,0.5129,0.0257899075,0.00965007,0.01165994,0',
        area: CONUS,
        accuracyM: 1,
      },
    ],
    accuracyM: 2,
  },
  'NAD83(NSRS2007)': { ellipsoid: 'GRS80', pattern: /NSRS2007|SYSTEM_2007/, shifts: [], accuracyM: 2 },
  'NAD83(CORS96)': { ellipsoid: 'GRS80', pattern: /CORS_?(?:19)?96/, shifts: [], accuracyM: 2 },
  'NAD83(2011)': { ellipsoid: 'GRS80', pattern: /(?:83|SYSTEM)_?2011/, shifts: [], accuracyM: 2 },
  'NAD83(PA11)': { ellipsoid: 'GRS80', pattern: /PA11/, shifts: [], accuracyM: 2 },
  'NAD83(MA11)': { ellipsoid: 'GRS80', pattern: /MA11/, shifts: [], accuracyM: 2 },
  NAD83: {
    ellipsoid: 'GRS80',
    pattern: /NAD_?(?:19)?83|AMERICAN_(?:DATUM_)?1983/,
    shifts: [
      { epsg: 1252, toWgs84: '1,1,-1', area: [-163.74, 15.56, -151.27, 25.58], accuracyM: 4 },
      { epsg: 1251, toWgs84: '-2,0,4', area: [172.42, 51.3, 180, 54.34], accuracyM: 8 },
      { epsg: 1251, toWgs84: '-2,0,4', area: [-180, 51.3, -172.54, 54.34], accuracyM: 8 },
    ],
    accuracyM: 4,
  },
  'Old Hawaiian': {
    ellipsoid: 'clrk66',
    pattern: /OLD_HAWAIIAN/,
    shifts: [
      { epsg: 15828, toWgs84: '58,-283,-182', area: [-158.33, 21.2, -157.61, 21.75], accuracyM: 14 },
      { epsg: 15826, toWgs84: '45,-290,-172', area: [-159.85, 21.81, -159.23, 22.29], accuracyM: 35 },
      { epsg: 15824, toWgs84: '61,-285,-181', area: [-160.3, 18.87, -154.74, 22.29], accuracyM: 38 },
    ],
    accuracyM: 500,
  },
  'Puerto Rico': {
    ellipsoid: 'clrk66',
    pattern: /PUERTO_RICO/,
    shifts: [{ epsg: 1893, toWgs84: '11,72,-101', area: [-67.97, 17.62, -64.25, 18.78], accuracyM: 6 }],
    accuracyM: 200,
  },
  'Guam 1963': {
    ellipsoid: 'clrk66',
    pattern: /GUAM_1963/,
    shifts: [{ epsg: 1070, toWgs84: '-100,-248,259', area: [144.58, 13.18, 145.01, 13.7], accuracyM: 6 }],
    accuracyM: 400,
  },
  'American Samoa 1962': {
    ellipsoid: 'clrk66',
    pattern: /SAMOA_1962/,
    shifts: [{ epsg: 1577, toWgs84: '-115,118,426', area: [-170.88, -14.43, -169.38, -14.11], accuracyM: 44 }],
    accuracyM: 500,
  },
}

/** The datum that WKT calls by this name. Null: not one of the United States. */
export const findDatum = (name: string): string | null => {
  const wanted = name.toUpperCase().replaceAll(/[\s()-]+/g, '_')
  // The names of NAD83's realizations contain "NAD83", so NAD83 itself is compared last.
  return Object.keys(DATUMS).find((datum) => DATUMS[datum]?.pattern.test(wanted)) ?? null
}

/** Converts longitude and latitude of a datum to WGS 84, in place. */
export interface DatumShift {
  apply: (position: number[]) => void
  /** For the report: the conversion and its accuracy. */
  description: string
}

/** The shift of a datum at a place. */
export const shiftAt = (datum: string, lon: number, lat: number): DatumShift => {
  const known = DATUMS[datum] as Datum
  const shift = known.shifts.find(
    ({ area: [west, south, east, north] }) => lon >= west && lon <= east && lat >= south && lat <= north,
  )
  if (shift === undefined) return { apply: () => {}, description: describe(datum, 'not shifted', known.accuracyM) }
  const { forward } = proj4(`+proj=longlat +ellps=${known.ellipsoid} +towgs84=${shift.toWgs84}`, 'WGS84')
  return {
    apply: (position) => {
      const [shiftedLon, shiftedLat] = forward([position[0] as number, position[1] as number])
      position[0] = shiftedLon as number
      position[1] = shiftedLat as number
    },
    description: describe(datum, `shifted by EPSG:${shift.epsg}`, shift.accuracyM),
  }
}

const describe = (datum: string, what: string, accuracyM: number): string =>
  accuracyM === 0 ? 'WGS 84' : `${datum} to WGS 84 ${what}, accurate to about ${accuracyM} m`
