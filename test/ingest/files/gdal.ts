import { sampleParcels } from '../../../dev/sample-county/county'
import { encodeFeature } from '../../../dev/sample-county/encode-feature'
import { inFolder, writeFixture } from './write-fixture'

/** Whether GDAL is installed (test/runner/install-tools.ts). */
export const hasGdal = Bun.which('ogr2ogr') !== null

const run = (command: string[], stdin = ''): string => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdin: new TextEncoder().encode(stdin) })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  return stdout.toString()
}

/** Parcels of the sample county as GeoJSON lines, with short columns, some without boundary, one with a hole and one in two parts. */
export const writeParcels = (name: string, parcels: number, moveBy: readonly [number, number] = [0, 0]): string => {
  const lines = [...sampleParcels({ parcels })].map((parcel, index) => {
    const { geometry, properties } = JSON.parse(encodeFeature(parcel))
    const { source_parcel_id: pin, owner_name: owner, acreage, assessed_value: value } = properties
    return JSON.stringify({
      type: 'Feature',
      properties: { pin, owner: index === 3 ? 'PEÑA Ñ' : owner, acres: acreage ?? null, value: value ?? null },
      geometry: index === 5 ? null : shape(geometry, index, moveBy),
    })
  })
  return writeFixture(name, `${lines.join('\n')}\n`)
}

type Ring = number[][]

const shape = (geometry: { coordinates: Ring[][] } | null, index: number, [east, north]: readonly [number, number]) => {
  if (geometry === null) return null
  const moved = geometry.coordinates.map((rings) =>
    rings.map((ring) => ring.map(([lon, lat]) => [(lon as number) + east, (lat as number) + north])),
  )
  const [[outer]] = moved as [[Ring]]
  if (index === 1) moved[0] = [outer, towardsCenter(outer, 0.5).reverse()]
  if (index === 2)
    moved.splice(
      0,
      1,
      [towardsCenter(outer, 0.4)],
      [outer.map(([lon, lat]) => [(lon as number) + 0.01, lat as number])],
    )
  return { type: 'MultiPolygon', coordinates: moved }
}

const towardsCenter = (ring: Ring, share: number): Ring => {
  const [lon, lat] = [0, 1].map(
    (axis) => ring.slice(1).reduce((sum, at) => sum + (at[axis] as number), 0) / (ring.length - 1),
  )
  return ring.map(([x, y]) => [
    (lon as number) + ((x as number) - (lon as number)) * share,
    (lat as number) + ((y as number) - (lat as number)) * share,
  ])
}

/** Converts a file with GDAL. Returns the new file. */
export const convert = (file: string, name: string, driver: string, ...options: string[]): string => {
  run(['ogr2ogr', '-f', driver, inFolder(name), file, ...options])
  return inFolder(name)
}

/** Positions in longitude and latitude, as GDAL converts them. */
export const transform = (positions: readonly (readonly number[])[], from: string, to: string): number[][] =>
  run(
    ['gdaltransform', '-s_srs', from, '-t_srs', to, '-output_xy'],
    positions.map((position) => position.join(' ')).join('\n'),
  )
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))

const METERS_PER_DEGREE = 111_320

/** The greatest distance in meters between two lists of positions, one by one. */
export const greatestDistance = (a: readonly number[][], b: readonly number[][]): number =>
  Math.max(
    ...a.map(([lon = 0, lat = 0], index) => {
      const [otherLon = Number.NaN, otherLat = Number.NaN] = b[index] ?? []
      return Math.hypot((lon - otherLon) * Math.cos((lat * Math.PI) / 180), lat - otherLat) * METERS_PER_DEGREE
    }),
  )
