import proj4 from 'proj4'
import type { Bbox } from '../../../core/geometry/bbox'
import { findDatum } from './datums'
import table from './systems.json' with { type: 'json' }

/** A coordinate system that files can be in. */
export interface System {
  /** For messages: `NAD83 / Oregon North (ft) (EPSG:2269)`. */
  name: string
  /** A key of DATUMS. */
  datum: string
  /** Converts to longitude and latitude of the datum, in degrees. Null: the coordinates are that already. */
  inverse: ((position: [number, number]) => number[]) | null
  /** West, south, east, north in degrees. Null: not known. */
  area: Bbox | null
}

/** EPSG code, name, proj4 text without datum, area of use. dev/coordinate-systems.ts writes the table. */
const ROWS = table as unknown as [code: number, name: string, definition: string, area: Bbox][]

/** Codes that programs use instead: ESRI's and old ones for Web Mercator, and systems that only add heights to longitude and latitude. */
const ALIASES: Readonly<Record<string, number>> = {
  '102100': 3857,
  '102113': 3857,
  '900913': 3857,
  '3785': 3857,
  '4957': 4152,
  '4979': 4326,
  '5498': 4269,
  '5499': 4152,
  '5500': 4759,
  '6319': 6318,
  '6349': 6318,
}

/** Null: not in the table. */
export const findByCode = (code: number): System | null => {
  const wanted = ALIASES[code] ?? code
  const row = ROWS.find(([candidate]) => candidate === wanted)
  return row === undefined ? null : toSystem(row)
}

const toSystem = ([code, name, definition, area]: (typeof ROWS)[number]): System => ({
  name: `${name} (EPSG:${code})`,
  datum: datumOf(name),
  inverse: definition.startsWith('+proj=longlat') ? null : inverseOf(new proj4.Proj(definition)),
  area,
})

const datumOf = (name: string): string => (name.includes(' / ') ? name.slice(0, name.indexOf(' / ')) : name)

/** The members of a projection that proj4's types leave out. */
type Projection = InstanceType<typeof proj4.Proj> & {
  projName?: string
  /** Meters per unit. */
  to_meter?: number
  /** The origin, in radians. */
  long0?: number
  lat0?: number
}

const DEGREES = 180 / Math.PI

/** Without the checks and datum of proj4(), which take as long as the projection itself. */
const inverseOf = (projection: Projection): System['inverse'] => {
  const { to_meter: unit = 1 } = projection
  return ([x, y]) => {
    // Null for a position outside the projection, which proj4's types leave out.
    const place = projection.inverse({ x: x * unit, y: y * unit }) as { x: number; y: number } | null
    return place === null ? [Number.NaN, Number.NaN] : [place.x * DEGREES, place.y * DEGREES]
  }
}

/** Two projections are the same if they agree at these offsets from the origin, in radians, within this many meters. */
const PROBES = [
  [0.01, 0.012],
  [-0.013, -0.008],
] as const
const MAX_DIFFERENCE_M = 0.001

/**
 * The system of a definition in WKT (version 1 or 2, also ESRI's) or PROJJSON: EPSG's system with the same projection, or else the
 * projection as written. Of a compound system, the horizontal one.
 *
 * @throws Error if it is not a definition, or its datum is not one of the United States
 */
export const findByDefinition = (whole: string | object): System => {
  const definition = typeof whole === 'string' ? withoutHeights(whole) : whole
  const code = codeOf(definition)
  const known = code === null ? null : findByCode(code)
  if (known !== null) return known
  const projection = new proj4.Proj(definition as string) as Projection
  const { name, datumName } = namesOf(projection)
  const datum = findDatum(datumName)
  if (datum === null) throw new Error(`its datum "${datumName}" is not known`)
  const isLonLat = projection.projName === 'longlat'
  const row = ROWS.find((candidate) => datumOf(candidate[1]) === datum && isSame(candidate, projection, isLonLat))
  if (row !== undefined) return toSystem(row)
  return { name, datum, inverse: isLonLat ? null : inverseOf(projection), area: null }
}

/** The names of a definition as proj4 reads it. */
const namesOf = (projection: Projection): { name: string; datumName: string } => {
  const { name, title, datumCode, GEOGCS, DATUM } = projection as unknown as Record<string, unknown>
  const geographic = GEOGCS as { name?: string; DATUM?: { name?: string } } | undefined
  const datum =
    (DATUM as { name?: string } | undefined)?.name ?? geographic?.DATUM?.name ?? geographic?.name ?? datumCode
  return { name: String(name ?? title ?? 'a system without a name'), datumName: String(datum ?? name ?? '') }
}

const isSame = ([, , definition]: (typeof ROWS)[number], projection: Projection, isLonLat: boolean): boolean => {
  if (definition.startsWith('+proj=longlat') || isLonLat) return definition.startsWith('+proj=longlat') && isLonLat
  const candidate = new proj4.Proj(definition) as Projection
  if (Math.abs((candidate.to_meter ?? 1) / (projection.to_meter ?? 1) - 1) > 1e-8) return false
  return PROBES.every(([east, north]) => {
    const place = { x: (projection.long0 ?? 0) + east, y: (projection.lat0 ?? 0) + north }
    const [a, b] = [candidate.forward({ ...place }), projection.forward({ ...place })]
    return Math.hypot(a.x - b.x, a.y - b.y) < MAX_DIFFERENCE_M
  })
}

const COMPOUND = /^\s*(?:COMPD_CS|COMPOUNDCRS)\s*\[\s*"(?:[^"]|"")*"\s*,\s*/i

/** The first part of a compound system in WKT: the second one is the system of its heights. */
const withoutHeights = (definition: string): string => {
  const parts = definition.replace(COMPOUND, '')
  if (parts === definition) return definition
  let depth = 0
  for (const { 0: token, index } of parts.matchAll(/"[^"]*"|[[\]]/g)) {
    if (token === '[') depth++
    else if (token === ']' && --depth === 0) return parts.slice(0, index + 1)
  }
  return definition
}

/** The EPSG code of the whole definition, not of one of its parts. */
const codeOf = (definition: string | object): number | null => {
  if (typeof definition === 'object') {
    const { id } = definition as { id?: { authority?: unknown; code?: unknown } }
    if (id?.authority === 'OGC' && id.code === 'CRS84') return 4326
    return id?.authority === 'EPSG' ? Number(id.code) : null
  }
  const code = /(?:AUTHORITY\["EPSG",\s*"(\d+)"\]|ID\["EPSG",\s*(\d+)\])\s*\]\s*$/i.exec(definition)
  return code === null ? null : Number(code[1] ?? code[2])
}
