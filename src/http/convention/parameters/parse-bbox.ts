import { t } from 'elysia'
import { type Bbox, findBboxProblem } from '../../../../core/geometry/bbox'
import { HttpError } from '../errors'
import { readNumbers } from './read-numbers'

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
  const box = readNumbers(text, 4) as Bbox | null
  if (box === null) throw new HttpError(400, `bbox must be ${BBOX}`)
  const problem = findBboxProblem(box)
  if (problem !== null) throw new HttpError(400, `bbox: ${problem}`)
  return box
}
