import { bareName } from './column-names'

/** Names of the columns of a point, without case and punctuation. Each longitude has its latitude at the same index. */
const LON = [
  'longitude',
  'lon',
  'lng',
  'long',
  'longdd',
  'longitudedd',
  'xcoord',
  'xcoordinate',
  'pointx',
  'centroidx',
  'centerlon',
  'coordx',
  'x',
]
const LAT = [
  'latitude',
  'lat',
  'lat',
  'lat',
  'latdd',
  'latitudedd',
  'ycoord',
  'ycoordinate',
  'pointy',
  'centroidy',
  'centerlat',
  'coordy',
  'y',
]

export type PointColumns = [lon: string, lat: string]

/** The columns that have the names of a point's coordinates, and numbers. Null: there are none. */
export const findPointColumns = (properties: Readonly<Record<string, unknown>>): PointColumns | null => {
  const columns = new Map(Object.keys(properties).map((name) => [bareName(name), name]))
  const hasNumber = (name: string | undefined): name is string =>
    name !== undefined && /^\s*-?\d+(?:\.\d+)?\s*$/.test(`${properties[name] ?? ''}`)
  for (const [index, bare] of LON.entries()) {
    const [lon, lat] = [columns.get(bare), columns.get(LAT[index] as string)]
    if (hasNumber(lon) && hasNumber(lat)) return [lon, lat]
  }
  return null
}
