import { t } from 'elysia'
import { type Bbox, findBboxProblem } from '../../../../core/geometry/bbox'
import { DECIMAL } from '../../schemas'
import { HttpError } from '../errors'

const BBOX = 'four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326)'

export const bbox = t.String({
  takes: BBOX,
  description: `A box as ${BBOX}. If west is greater than east, the box crosses the antimeridian.`,
  examples: ['-122.99,45.51,-122.98,45.52'],
})

/** For a list of parcels without any condition. */
export const missingBbox = (): HttpError =>
  new HttpError(
    400,
    `bbox is missing: it must be ${BBOX}. Or select parcels by at, near, source, county, owner or parcel_id`,
  )

/** @throws HttpError 400 */
export const parseBbox = (text: string): Bbox => {
  const numbers = text.split(',').map((part) => (DECIMAL.test(part.trim()) ? Number(part) : Number.NaN))
  const [west, south, east, north] = numbers
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) throw new HttpError(400, `bbox must be ${BBOX}`)
  const box = [west, south, east, north] as Bbox
  const problem = findBboxProblem(box)
  if (problem !== null) throw new HttpError(400, `bbox: ${problem}`)
  return box
}
