import { CString, dlopen, type Pointer, ptr } from 'bun:ffi'
import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import proj4 from 'proj4'

/*
 * bun run crs:generate [OUT]
 *
 * Writes src/ingest/coordinates/systems.json: the EPSG coordinate systems that are used in the United States, as proj4 texts. Needs
 * PROJ 9 (Debian: libproj25 and proj-data), whose proj.db is the EPSG Geodetic Parameter Dataset (https://epsg.org; terms of use:
 * https://epsg.org/terms-of-use.html). The library is called in this process: two programs for each of 2,000 systems took far longer.
 *
 * Each projection is compared with PROJ's on a grid of points, and left out if they differ by more than MAX_ERROR_M.
 */
const MAX_ERROR_M = 0.001
const GRID = 5
const OUT = process.argv[2] ?? 'src/ingest/coordinates/systems.json'
const METERS_PER_DEGREE = 111_320

const proj = new Database('/usr/share/proj/proj.db', { readonly: true })

interface System {
  code: number
  name: string
  base: number
  south: number
  north: number
  west: number
  east: number
}

const systems = proj
  .query<System, []>(`
    select c.code + 0 as code, c.name, b.code + 0 as base, min(e.south_lat) as south, max(e.north_lat) as north,
           min(e.west_lon) as west, max(e.east_lon) as east
    from (select auth_name, code, name, geodetic_crs_code as base, 'projected_crs' as kind from projected_crs
          union all select auth_name, code, name, code, 'geodetic_crs' from geodetic_crs where type = 'geographic 2D') c
    join geodetic_crs b on b.auth_name = 'EPSG' and b.code = c.base
    join usage u on u.object_table_name = c.kind and u.object_auth_name = c.auth_name and u.object_code = c.code
    join extent e on e.auth_name = u.extent_auth_name and e.code = u.extent_code
    where c.auth_name = 'EPSG'
      and b.name in ('NAD27', 'NAD83', 'NAD83(HARN)', 'NAD83(NSRS2007)', 'NAD83(CORS96)', 'NAD83(2011)', 'NAD83(PA11)', 'NAD83(MA11)',
                     'WGS 84', 'Puerto Rico', 'Guam 1963', 'Old Hawaiian', 'American Samoa 1962')
      and (e.description like '%USA%' or e.description like '%Puerto Rico%' or e.description like '%Guam%'
           or e.description like '%American Samoa%' or e.description like '%North America%' or c.code in (3857, 3395, 4326)
           or c.code between 32601 and 32622 or c.code between 32655 and 32660)
    group by c.code order by c.code + 0`)
  .all()

/** A grid over the area of use, or the part of it that is near the United States. */
const pointsOf = ({ south, north, west, east }: System): [number, number][] => {
  const [s, n] = south < -60 ? [13, 72] : [Math.max(south, -20), Math.min(north, 72)]
  const [w, e] = east < west || east - west > 200 ? [-179, -64] : [west, east]
  const cells = Array.from({ length: GRID }, (_, index) => (index + 0.5) / GRID)
  return cells.flatMap((x) => cells.map((y): [number, number] => [w + (e - w) * x, s + (n - s) * y]))
}

/** The greatest distance in meters. */
const distance = (a: readonly number[][], b: readonly number[][]): number =>
  Math.max(
    ...a.map(([lon = Number.NaN, lat = Number.NaN], index) => {
      const [otherLon = Number.NaN, otherLat = Number.NaN] = b[index] ?? []
      const east = (lon - otherLon) * Math.cos((lat * Math.PI) / 180)
      const meters = Math.hypot(east, lat - otherLat) * METERS_PER_DEGREE
      return Number.isNaN(meters) ? Number.POSITIVE_INFINITY : meters
    }),
  )

const LIBRARY = 'libproj.so.25'
const PJ_PROJ_4 = 1
const PJ_INV = -1

/** https://proj.org/en/stable/development/reference/functions.html */
const { symbols: library } = dlopen(LIBRARY, {
  proj_create: { args: ['ptr', 'cstring'], returns: 'ptr' },
  proj_create_crs_to_crs_from_pj: { args: ['ptr', 'ptr', 'ptr', 'ptr', 'ptr'], returns: 'ptr' },
  proj_normalize_for_visualization: { args: ['ptr', 'ptr'], returns: 'ptr' },
  proj_as_proj_string: { args: ['ptr', 'ptr', 'i32', 'ptr'], returns: 'ptr' },
  proj_trans_array: { args: ['ptr', 'i32', 'usize', 'ptr'], returns: 'i32' },
  proj_destroy: { args: ['ptr'], returns: 'ptr' },
})

const create = (code: number): Pointer => library.proj_create(null, Buffer.from(`EPSG:${code}\0`)) as Pointer

/** Converts positions of a system to longitude and latitude of its geographic system. */
const toDegrees = ({ code, base }: System, positions: readonly number[][]): number[][] => {
  const [from, to] = [create(base), create(code)]
  const created = library.proj_create_crs_to_crs_from_pj(null, from, to, null, null)
  const transformation = library.proj_normalize_for_visualization(null, created)
  // A PJ_COORD has four numbers. The last two are height and time.
  const coordinates = Float64Array.from(positions.flatMap(([x = 0, y = 0]) => [x, y, 0, Number.POSITIVE_INFINITY]))
  library.proj_trans_array(transformation, PJ_INV, positions.length, ptr(coordinates))
  for (const object of [from, to, created, transformation]) library.proj_destroy(object)
  return positions.map((_, index) => [...coordinates.subarray(4 * index, 4 * index + 2)])
}

const readDefinition = (code: number): string => {
  const system = create(code)
  const text = library.proj_as_proj_string(null, system, PJ_PROJ_4, null)
  const definition = text === null ? '' : new CString(text).toString()
  library.proj_destroy(system)
  return definition
}

/** The row of the table, or why the system is left out. */
const describe = (system: System): unknown[] | string => {
  const { code, name } = system
  const definition = readDefinition(code)
    .replace('+datum=NAD83', '+ellps=GRS80')
    .replace('+datum=NAD27', '+ellps=clrk66')
    .replace('+datum=WGS84', '+ellps=WGS84')
    .replace(/ \+(?:towgs84=\S+|no_defs|type=crs|wktext|nadgrids=\S+)/g, '')
  if (!definition.startsWith('+proj=')) return `${code} ${name}: no proj4 text`
  try {
    // Without a datum, proj4 converts only between the projection and its own degrees.
    const converter = proj4(`${definition}`, `+proj=longlat ${definition.match(/\+(?:ellps|a|b|rf)=\S+/g)?.join(' ')}`)
    const projected = pointsOf(system).map((point) => converter.inverse(point))
    const error = distance(
      toDegrees(system, projected),
      projected.map((point) => converter.forward(point)),
    )
    if (!(error <= MAX_ERROR_M)) return `${code} ${name}: ${error} m from PROJ (${definition})`
  } catch (error) {
    return `${code} ${name}: ${error}`
  }
  const { west, south, east, north } = system
  return [code, name, definition, [west, south, east, north]]
}

const described = systems.map(describe)
const rows = described.filter((row) => typeof row !== 'string')
const left = described.filter((row) => typeof row === 'string')
writeFileSync(OUT, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`)
console.log(`${rows.length} of ${systems.length} systems in ${OUT}; left out:\n${left.join('\n')}`)
