import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import proj4 from 'proj4'

/*
 * bun run crs:generate [PROJ.DB]
 *
 * Writes src/ingest/coordinates/systems.json: the EPSG coordinate systems that are used in the United States, as proj4 texts. Needs
 * gdal-bin, and the proj.db of PROJ (Debian: proj-data), which is the EPSG Geodetic Parameter Dataset (https://epsg.org; terms of use:
 * https://epsg.org/terms-of-use.html).
 *
 * Each projection is compared with GDAL's on a grid of points, and left out if they differ by more than MAX_ERROR_M.
 */
const MAX_ERROR_M = 0.001
const GRID = 5
const OUT = 'src/ingest/coordinates/systems.json'
const METERS_PER_DEGREE = 111_320

const proj = new Database(process.argv[2] ?? '/usr/share/proj/proj.db', { readonly: true })

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

const run = async (command: string[], input = ''): Promise<string> => {
  const child = Bun.spawn(command, { stdin: new TextEncoder().encode(input), stderr: 'ignore' })
  return await new Response(child.stdout).text()
}

/** A grid over the area of use, or the part of it that is near the United States. */
const pointsOf = ({ south, north, west, east }: System): [number, number][] => {
  const [s, n] = south < -60 ? [13, 72] : [Math.max(south, -20), Math.min(north, 72)]
  const [w, e] = east < west || east - west > 200 ? [-179, -64] : [west, east]
  const cells = Array.from({ length: GRID }, (_, index) => (index + 0.5) / GRID)
  return cells.flatMap((x) => cells.map((y): [number, number] => [w + (e - w) * x, s + (n - s) * y]))
}

/** The greatest distance in metres. */
const distance = (a: readonly number[][], b: readonly number[][]): number =>
  Math.max(
    ...a.map(([lon = Number.NaN, lat = Number.NaN], index) => {
      const [otherLon = Number.NaN, otherLat = Number.NaN] = b[index] ?? []
      const east = (lon - otherLon) * Math.cos((lat * Math.PI) / 180)
      const meters = Math.hypot(east, lat - otherLat) * METERS_PER_DEGREE
      return Number.isNaN(meters) ? Number.POSITIVE_INFINITY : meters
    }),
  )

/** The row of the table, or why the system is left out. */
const describe = async (system: System): Promise<unknown[] | string> => {
  const { code, name, base } = system
  const text = (await run(['gdalsrsinfo', '-o', 'proj4', `EPSG:${code}`])).trim()
  const definition = text
    .replace('+datum=NAD83', '+ellps=GRS80')
    .replace('+datum=NAD27', '+ellps=clrk66')
    .replace('+datum=WGS84', '+ellps=WGS84')
    .replace(/ \+(?:towgs84=\S+|no_defs|type=crs|wktext|nadgrids=\S+)/g, '')
  if (!definition.startsWith('+proj=')) return `${code} ${name}: no proj4 text`
  try {
    // Without a datum, proj4 converts only between the projection and its own degrees.
    const converter = proj4(`${definition}`, `+proj=longlat ${definition.match(/\+(?:ellps|a|b|rf)=\S+/g)?.join(' ')}`)
    const projected = pointsOf(system).map((point) => converter.inverse(point))
    const input = projected.map(([x, y]) => `${x} ${y}`).join('\n')
    const output = await run(['gdaltransform', '-s_srs', `EPSG:${code}`, '-t_srs', `EPSG:${base}`, '-output_xy'], input)
    const expected = output
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
    const error = distance(
      expected,
      projected.map((point) => converter.forward(point)),
    )
    if (!(error <= MAX_ERROR_M)) return `${code} ${name}: ${error} m from GDAL (${definition})`
  } catch (error) {
    return `${code} ${name}: ${error}`
  }
  const { west, south, east, north } = system
  return [code, name, definition, [west, south, east, north]]
}

const rows: unknown[][] = []
const left: string[] = []
const queue = systems.values()
await Promise.all(
  Array.from({ length: 3 }, async () => {
    for (const system of queue) {
      const row = await describe(system)
      if (typeof row === 'string') left.push(row)
      else rows.push(row)
    }
  }),
)
rows.sort(([a], [b]) => Number(a) - Number(b))
writeFileSync(OUT, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`)
console.log(`${rows.length} of ${systems.length} systems in ${OUT}; left out:\n${left.join('\n')}`)
