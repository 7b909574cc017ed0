import { formatAcres, formatDollars, formatKnown } from '../../format'
import type { Located } from '../map/map-parcel'
import { sizeOfLand } from './size-of-land'

/** The fields of a parcel that are written. */
interface WrittenParcel extends Located {
  source_parcel_id: string
  situs_address: string | null
  situs_city: string | null
  situs_state: string | null
  situs_zip: string | null
  owner_name: string | null
  owner_names_all: string[]
  owner_mailing_address: string | null
  acreage: number | null
  land_use_class: string | null
  zoning_code: string | null
  zoning_description: string | null
  assessed_value: number | null
  value_land: number | null
  value_improvement: number | null
}

/** The main fields of a parcel as lines of text, for a mail or a note. `county`: such as `Larkspur, OR`. Unknown fields are left out. */
export const parcelText = (parcel: WrittenParcel, county: string, address: string): string => {
  const place = [parcel.situs_city, [parcel.situs_state, parcel.situs_zip].filter(Boolean).join(' ')].filter(Boolean)
  const land = sizeOfLand(parcel)
  const lines: [label: string, value: string | null][] = [
    ['Address', [parcel.situs_address, ...place].filter(Boolean).join(', ') || null],
    ['Parcel', `${parcel.source_parcel_id} (${county})`],
    ['Owner', parcel.owner_names_all.join('; ') || parcel.owner_name],
    ['Mailing address', parcel.owner_mailing_address],
    [land.label, formatKnown(land.acres, formatAcres)],
    ['Land use', parcel.land_use_class],
    ['Zoning', [parcel.zoning_code, parcel.zoning_description].filter(Boolean).join(': ') || null],
    ['Assessed value', formatKnown(parcel.assessed_value, formatDollars)],
    ['Land', formatKnown(parcel.value_land, formatDollars)],
    ['Buildings', formatKnown(parcel.value_improvement, formatDollars)],
    ['Coordinates', formatCoordinates(centerOf(parcel))],
  ]
  return [...lines.flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`])), address].join('\n')
}

/** The middle of the box around the boundary, or the point if the boundary is not known. Null: neither is known. */
export const centerOf = ({ geom_geojson, lon, lat }: Located): [lon: number, lat: number] | null => {
  if (geom_geojson === null) return lon === null || lat === null ? null : [lon, lat]
  const positions = (geom_geojson as { coordinates: number[][][][] } | null)?.coordinates.flat(2) ?? []
  if (positions.length === 0) return null
  const middle = (index: number): number => {
    const values = positions.map((position) => position[index] ?? 0)
    return (Math.min(...values) + Math.max(...values)) / 2
  }
  return [middle(0), middle(1)]
}

/** Latitude first, as people and most maps write it. About a meter exactly. */
export const formatCoordinates = (center: readonly [lon: number, lat: number] | null): string | null =>
  center === null ? null : `${center[1].toFixed(5)}, ${center[0].toFixed(5)}`
