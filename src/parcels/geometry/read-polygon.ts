import type { MultiPolygon, Position } from 'geojson'
import { ServiceError } from '../../../core/service-error'
import { toMultiPolygon } from '../../ingest/boundaries/geometry'
import { RowFault } from '../../ingest/rows/source-row'

/**
 * Converts a caller's polygon to the form in which boundaries are stored: with oriented rings that do not cross. `name` is used in
 * messages.
 *
 * @throws ServiceError `bad_input` if it is not valid, or has more than `most` positions
 */
export const readPolygon = (
  name: string,
  given: { type: string; coordinates: unknown[] },
  most: number,
): MultiPolygon => {
  const positions = listPositions(given.coordinates)
  if (positions.length > most) {
    throw new ServiceError('bad_input', `${name} has ${positions.length} positions, more than ${most}`)
  }
  if (positions.length === 0 || !positions.every(isPosition)) {
    throw new ServiceError(
      'bad_input',
      `${name} must be a GeoJSON Polygon or MultiPolygon with [longitude, latitude] in degrees`,
    )
  }
  try {
    const read = toMultiPolygon(given, { isArea: true })
    if (read === null) throw new ServiceError('bad_input', `${name} has no coordinates`)
    return read.geom
  } catch (cause) {
    if (cause instanceof RowFault) throw new ServiceError('bad_input', `${name}: ${cause.message}`, { cause })
    throw cause
  }
}

/** The innermost lists, at any depth. Something that is not a list counts as a position, which is then refused. */
const listPositions = (value: unknown): unknown[] =>
  Array.isArray(value) && value.some((item) => Array.isArray(item)) ? value.flatMap(listPositions) : [value]

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  value.length >= 2 &&
  value.every((part) => Number.isFinite(part)) &&
  Math.abs(value[0]) <= 180 &&
  Math.abs(value[1]) <= 90
