import { acresOf } from '../../../../../../core/geometry/acres'
import { type Area, toPolygon } from './area'

const EARTH_RADIUS_M = 6_371_008.8
const FEET_PER_METER = 3.28084
const FEET_PER_MILE = 5_280
const SQ_FT_PER_ACRE = 43_560

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** The length of a line along the surface of the earth (haversine). */
export const lengthOf = (line: Area): number =>
  line.reduce((sum, [lon, lat], index) => {
    const [lonBefore, latBefore] = line[index - 1] ?? [lon, lat]
    const a =
      Math.sin(radians(lat - latBefore) / 2) ** 2 +
      Math.cos(radians(lat)) * Math.cos(radians(latBefore)) * Math.sin(radians(lon - lonBefore) / 2) ** 2
    return sum + 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(a))
  }, 0)

const digits = (value: number, maximumFractionDigits: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits })

export const formatLength = (meters: number): string => {
  const feet = meters * FEET_PER_METER
  const [us, metric] = [
    feet < FEET_PER_MILE ? `${digits(feet, feet < 100 ? 1 : 0)} ft` : `${digits(feet / FEET_PER_MILE, 2)} mi`,
    meters < 1_000 ? `${digits(meters, meters < 100 ? 1 : 0)} m` : `${digits(meters / 1_000, 2)} km`,
  ]
  return `${us} (${metric})`
}

export const formatArea = (ring: Area): string => {
  const acres = acresOf(toPolygon(ring))
  const around = lengthOf([...ring, ...ring.slice(0, 1)])
  const size =
    acres < 1 ? `${digits(acres * SQ_FT_PER_ACRE, 0)} sq ft, ${digits(acres, 3)} acres` : `${digits(acres, 2)} acres`
  return `${size}, ${formatLength(around)} around`
}
