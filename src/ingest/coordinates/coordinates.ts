import type { Bbox } from '../../../core/geometry/bbox'
import { RowFault } from '../rows/source-row'
import { UnreadableFile } from '../rows/unreadable-file'
import { type DatumShift, shiftAt } from './datums'
import { findByCode, findByDefinition, type System } from './systems'

/** What a file says about its coordinates. */
export interface DeclaredCrs {
  /** A name such as `EPSG:2913` or `urn:ogc:def:crs:OGC:1.3:CRS84`, WKT, PROJJSON, or the `crs` of a GeoJSON file. Null: nothing. */
  crs: unknown
  /** Where the file says so, for messages: `lots.prj`. */
  from: string
  /** Without a declaration, the format's coordinates are longitude and latitude. Otherwise the operator must name the system. */
  isLonLatByDefault?: boolean
  /** The format's reader has converted them. */
  isConverted?: boolean
  /** The file declares the system only after its rows. */
  isLate?: boolean
  /** The box of all coordinates, if the file has it. */
  extent?: Bbox | null
}

/** Whether a position can be in the United States: west of 59° W, or in the Marianas, which are east of 140° E. */
const isInUnitedStates = (lon: number, lat: number): boolean => lat > -16 && lat < 73 && (lon < -59 || lon > 140)
/** How far outside its area of use, in degrees, a system is still plausible. */
const MARGIN = 3
/** Degrees are rounded to 9 decimals (0.1 mm), so that a county in another format or system has the same coordinates. */
const DEGREE = 1e9
/** A file is refused if so many of its first boundaries and points are outside the area of use. Otherwise, only the rows outside are. */
const FIRST = { geometries: 100, outside: 95 }

/** A position is outside the area where its system is used. */
class OutsideArea extends RowFault {
  constructor(
    readonly system: System,
    readonly position: readonly number[],
  ) {
    super(describeOutside(system, position))
  }
}

/** Converts the coordinates of files to longitude and latitude of WGS 84. */
export class Coordinates {
  readonly #given: System | null
  /** The system that was given. Null: none was. */
  readonly nameForGdal: string | null
  #system: System | null = null
  #shift: DatumShift | null = null
  #declared: DeclaredCrs = { crs: null, from: 'the file' }
  /** Geometries of the file so far, and how many of them are outside the area of use. */
  #converted = 0
  #outside = 0
  readonly #others = new Map<string, System>()
  readonly #notes = new Set<string>()

  /** `given`: the name of the system to use regardless of what files declare. @throws ServiceError `bad_input` for an unknown name */
  constructor(given: string | null) {
    this.#given = given === null ? null : findSystem({ crs: given, from: '--crs' })
    this.nameForGdal = given === null ? null : toGdalName(given)
  }

  /** Sets the system of the next file. @throws UnreadableFile if it is missing, unknown or implausible */
  declare(declared: DeclaredCrs): void {
    this.#declared = declared
    this.#converted = 0
    this.#outside = 0
    if (declared.isConverted === true) {
      this.#system = null
      this.#notes.add(`${declared.from}: GDAL converted the coordinates to WGS 84`)
      return
    }
    const system = this.#given ?? findDeclared(declared)
    if (declared.isLate === true) {
      if (this.#given !== null || system === null || isCloseToWgs84(system)) return
      throw new UnreadableFile(`${declared.from} is after its features: add --crs ${nameOf(declared.crs)}`)
    }
    if (system !== this.#system) this.#shift = null
    this.#system = system
    if (system === null || declared.extent == null) return
    const [west, south, east, north] = declared.extent
    const center = [(west + east) / 2, (south + north) / 2]
    if (isUsedAt(system, ...placeOf(system, center))) return
    throw new UnreadableFile(`${declared.from}: ${describeOutside(system, center)}. ${this.#askFor(system, center)}`)
  }

  /**
   * A GeoJSON geometry in longitude and latitude, to 9 decimals. Its positions are changed in place. `crs` is the geometry's own.
   *
   * @throws RowFault if its own system is unknown, or a position is outside the projection or the area where the system is used;
   * UnreadableFile if nearly all of the first geometries are outside that area
   */
  toLonLat(geometry: unknown, crs?: unknown): unknown {
    const system = crs === undefined || this.#given !== null ? this.#system : this.#other(crs)
    if (geometry === null || geometry === undefined) return geometry
    this.#converted++
    try {
      this.#convert(geometry, system === null || isWgs84(system) ? null : system)
    } catch (error) {
      if (!(error instanceof OutsideArea)) throw error
      if (++this.#outside < FIRST.outside || this.#converted > FIRST.geometries) throw error
      throw new UnreadableFile(
        `${this.#declared.from}: nearly all of the first boundaries and points are outside: ${error.message}. ${this.#askFor(error.system, error.position)}`,
      )
    }
    return geometry
  }

  /** The system of the file that is read. */
  get name(): string {
    return this.#system?.name ?? 'longitude and latitude (WGS 84)'
  }

  /** Descriptions of the conversions, for the report. */
  notes(): string[] {
    return [...this.#notes]
  }

  /** The question after a wrong system. If the file declares a system in which the position is plausible, it names that one. */
  #askFor(wrong: System, position: readonly number[]): string {
    if (isSwapped(wrong, position)) return 'Write the file again with longitude first'
    const own = nameOf(this.#declared.crs) === null ? null : findOrNull(this.#declared)
    if (own === null || own.name === wrong.name || !isUsedAt(own, ...placeOf(own, position)))
      return 'Which coordinate system is it? Add --crs EPSG:CODE'
    return `The file itself says ${own.name}: leave out --crs`
  }

  #other(crs: unknown): System | null {
    const key = JSON.stringify(crs)
    const known = this.#others.get(key)
    if (known !== undefined) return known
    try {
      const system = findDeclared({ crs, from: 'the row', isLonLatByDefault: true })
      if (system !== null) this.#others.set(key, system)
      return system
    } catch (error) {
      throw error instanceof UnreadableFile ? new RowFault(error.message) : error
    }
  }

  /** `system`: null for coordinates that are in degrees of WGS 84 already. */
  #convert(geometry: unknown, system: System | null): void {
    const { coordinates, geometries } = geometry as { coordinates?: unknown; geometries?: unknown }
    if (Array.isArray(geometries)) for (const member of geometries) this.#convert(member, system)
    else if (Array.isArray(coordinates)) this.#convertAll(coordinates, system)
  }

  #convertAll(list: unknown[], system: System | null): void {
    if (typeof list[0] === 'number') {
      if (system !== null) this.#convertPosition(list as number[], system)
      round(list)
    } else for (const item of list) if (Array.isArray(item)) this.#convertAll(item, system)
  }

  #convertPosition(position: number[], system: System): void {
    const [x, y] = position as [number, number]
    if (system.inverse !== null) {
      const [lon, lat] = system.inverse([x, y])
      if (!Number.isFinite(lon) || !Number.isFinite(lat)) {
        throw new RowFault(`[${x}, ${y}] is not a position of ${system.name}`)
      }
      if (!isUsedAt(system, lon as number, lat as number)) throw new OutsideArea(system, [x, y])
      position[0] = lon as number
      position[1] = lat as number
    }
    this.#shift ??= this.#chooseShift(system, position)
    this.#shift.apply(position)
  }

  /** One shift for the whole file, so that neighbors keep their common boundary. */
  #chooseShift(system: System, [lon, lat]: number[]): DatumShift {
    const shift = shiftAt(system.datum, lon as number, lat as number)
    this.#notes.add(`${system.name}: ${shift.description}`)
    return shift
  }
}

const isWgs84 = ({ inverse, datum }: System): boolean => inverse === null && datum === 'WGS 84'

/** Rounds a position in place. Values that are not numbers stay: the checks of boundaries and points reject them. */
const round = (position: unknown[]): void => {
  const [lon, lat] = position
  if (typeof lon !== 'number' || typeof lat !== 'number') return
  position[0] = Math.round(lon * DEGREE) / DEGREE
  position[1] = Math.round(lat * DEGREE) / DEGREE
}

/** Longitude and latitude of a datum that is within a few meters of WGS 84. */
const isCloseToWgs84 = ({ inverse, datum }: System): boolean => inverse === null && /^(?:WGS|NAD83)/.test(datum)

/** Null: longitude and latitude by default. */
const findDeclared = (declared: DeclaredCrs): System | null => {
  if (nameOf(declared.crs) === null) {
    if (declared.isLonLatByDefault === true) return null
    throw new UnreadableFile(
      `${declared.from}: the file does not say which coordinate system it is in. Which one is it? Add --crs EPSG:CODE; the county's page for the data often names it, or the metadata in the archive`,
    )
  }
  return findSystem(declared)
}

const findOrNull = (declared: DeclaredCrs): System | null => {
  try {
    return findDeclared(declared)
  } catch (error) {
    if (error instanceof UnreadableFile) return null
    throw error
  }
}

const CODE = /(?:^|[^A-Z0-9])(EPSG|ESRI)(?::+|[:/][\d.]*[:/])(\d+)$/i
const CRS84 = /(?:^|[^A-Z0-9])(?:CRS:?8[34]h?)$/i

/** GDAL would request a name that is a URL, on any network: `http://10.0.0.1/?EPSG:2913`. */
const toGdalName = (name: string): string => {
  if (CRS84.test(name.trim())) return 'OGC:CRS84'
  const [, authority, code] = CODE.exec(name.trim()) ?? []
  return code === undefined ? name : `${authority}:${code}`
}

const findSystem = ({ crs, from }: DeclaredCrs): System => {
  const name = nameOf(crs) ?? ''
  const question =
    'Which one is it? Name it with --crs EPSG:CODE, or convert the file: ogr2ogr -t_srs EPSG:4326 NEW.geojson FILE'
  if (typeof name === 'string') {
    if (CRS84.test(name.trim())) return findByCode(4326) as System
    const code = CODE.exec(name.trim())?.[2]
    if (code !== undefined) {
      const system = findByCode(Number(code))
      if (system !== null) return system
      throw new UnreadableFile(
        /EPSG/i.test(name)
          ? `${from}: ${name.slice(0, 200)} is not one of the coordinate systems used in the United States. ${question}`
          : `${from}: ${name.slice(0, 200)} is a code of ESRI, and only codes of EPSG are known. ${question}`,
      )
    }
    if (!/^\s*[A-Z_]+\s*[[(]/i.test(name)) {
      throw new UnreadableFile(`${from}: "${name.slice(0, 200)}" is not a known coordinate system. ${question}`)
    }
  }
  try {
    return findByDefinition(name)
  } catch (error) {
    const text = typeof name === 'string' ? name : JSON.stringify(name)
    throw new UnreadableFile(
      `${from}: the coordinate system is not known: ${(error instanceof Error ? error.message : String(error)).slice(0, 100)} (${text.trim().slice(0, 100)}). ${question}`,
      { cause: error },
    )
  }
}

/** The name of a `crs` of the first GeoJSON specification (2008, section 3); other values unchanged. Null: it names no system. */
const nameOf = (crs: unknown): string | object | null => {
  if (typeof crs === 'string') return crs.trim() === '' ? null : crs
  if (typeof crs !== 'object' || crs === null) return null
  if (!('properties' in crs)) return 'type' in crs && Object.keys(crs).length > 1 ? crs : null
  const { properties } = crs as { properties?: { name?: unknown; code?: unknown; href?: unknown } | null }
  if (typeof properties?.name === 'string') return properties.name
  if (properties?.code !== undefined) return `EPSG:${properties.code}`
  return typeof properties?.href === 'string' ? properties.href : null
}

/** Whether a place is in the system's area of use, or near it. */
const isUsedAt = ({ area }: System, lon: number, lat: number): boolean =>
  area === null
    ? isInUnitedStates(lon, lat)
    : lat > area[1] - MARGIN && lat < area[3] + MARGIN && isBetween(lon, area[0], area[2])

/** The longitude and latitude of a position in the system. */
const placeOf = ({ inverse }: System, position: readonly number[]): [lon: number, lat: number] => {
  const [x = Number.NaN, y = Number.NaN] = position
  const [lon = Number.NaN, lat = Number.NaN] = inverse === null ? [x, y] : inverse([x, y])
  return [lon, lat]
}

/** Whether a position in degrees is in the United States if its latitude is first. */
const isSwapped = ({ inverse }: System, [x = Number.NaN, y = Number.NaN]: readonly number[]): boolean =>
  inverse === null && isInUnitedStates(y, x)

const describeOutside = (system: System, position: readonly number[]): string => {
  const { name, area } = system
  const [x = Number.NaN, y = Number.NaN] = position
  if (isSwapped(system, position))
    return `[${x.toFixed(2)}, ${y.toFixed(2)}] cannot be ${name}: its axes are swapped, because longitude comes first`
  const [lon, lat] = placeOf(system, position)
  const place =
    Number.isFinite(lon) && Number.isFinite(lat) ? `${lon.toFixed(2)}, ${lat.toFixed(2)}` : 'nowhere on Earth'
  const where = area === null ? 'the United States' : `${area.join(', ')} (west, south, east, north)`
  return `[${Math.round(x)}, ${Math.round(y)}] cannot be ${name}: that would be ${place}, outside the area where it is used, ${where}`
}

const isBetween = (lon: number, west: number, east: number): boolean =>
  west <= east ? lon > west - MARGIN && lon < east + MARGIN : lon > west - MARGIN || lon < east + MARGIN
