import { t } from 'elysia'
import type { Point } from '../../../parcels/parcels-at-point'
import { MAX_WITHIN_M } from '../../../parcels/parcels-near'
import { DECIMAL } from '../../schemas'
import { HttpError } from '../errors'
import { readNumbers } from './read-numbers'

const POINT = 'two comma-separated numbers: lon,lat, in degrees (EPSG:4326)'
export const DISTANCE = 'a distance above 0 with its unit: m, km, ft or mi, like 500m or 1.5km'

const METERS = { m: 1, km: 1_000, ft: 0.3048, mi: 1_609.344 } as const

export const point = (description: string) =>
  t.Optional(
    t.String({
      maxLength: 100,
      takes: POINT,
      description: `${description} A point is ${POINT}.`,
      examples: ['-120.5474,43.8667'],
    }),
  )

export const distance = (description: string) =>
  t.Optional(
    t.String({
      maxLength: 30,
      takes: DISTANCE,
      description: `${description} It must be ${DISTANCE}.`,
      examples: ['500m'],
    }),
  )

/** For `refused` of `query`: parameters of `GET /v1/parcels` that would select parcels elsewhere. Ignoring them would return too many. */
export const refusePlaces = (place: string, ...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `${place} cannot be combined with ${name}`]))

/** @throws HttpError 400 */
export const parsePoint = (name: string, text: string): Point => {
  const numbers = readNumbers(text, 2)
  if (numbers === null) throw new HttpError(400, `${name} must be ${POINT}`)
  const [lon, lat] = numbers as [number, number]
  if (Math.abs(lon) > 180) throw new HttpError(400, `${name}: the longitude must be from -180 to 180`)
  if (Math.abs(lat) > 90) throw new HttpError(400, `${name}: the latitude must be from -90 to 90`)
  return { lon, lat }
}

/** In meters. @throws HttpError 400 */
export const parseDistance = (name: string, text: string, most = MAX_WITHIN_M): number => {
  const [, number = '', unit = ''] = /^\s*([\d.]+)\s*([a-z]+)\s*$/i.exec(text) ?? []
  const meters = DECIMAL.test(number)
    ? Number(number) * (METERS[unit.toLowerCase() as keyof typeof METERS] ?? Number.NaN)
    : Number.NaN
  if (Number.isNaN(meters) || meters <= 0) throw new HttpError(400, `${name} must be ${DISTANCE}`)
  if (meters > most) throw new HttpError(400, `${name} must be at most ${most / 1_000} km`)
  return meters
}
