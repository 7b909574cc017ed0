import type { MultiPolygon } from 'geojson'
import { WATCH_BOUNDS } from '../../core/bounds'
import { bboxOf } from '../../core/geometry/bbox'
import { ServiceError } from '../../core/service-error'
import type { NewWatch } from '../../drizzle/queries/watches/watches'
import type { WatchKind } from '../../drizzle/schema/values'
import { readPolygon } from '../parcels/geometry/read-polygon'

/** The target that a caller wants to watch. */
export interface WatchTarget {
  kind: WatchKind
  source?: string | undefined
  source_parcel_id?: string | undefined
  owner_name?: string | undefined
  polygon?: { type: string; coordinates: unknown[] } | undefined
}

type TargetField = Exclude<keyof WatchTarget, 'kind'>

const TARGET_FIELDS: Record<WatchKind, readonly TargetField[]> = {
  parcel: ['source', 'source_parcel_id'],
  owner: ['owner_name'],
  polygon: ['polygon'],
  source: ['source'],
  alerts: [],
}
const ALL_FIELDS: readonly TargetField[] = ['source', 'source_parcel_id', 'owner_name', 'polygon']

type StoredTarget = Pick<NewWatch, 'kind' | 'source' | 'sourceParcelId' | 'ownerName' | 'polygon' | 'bbox'>

/** @throws ServiceError `bad_input` if fields of the target are missing, or belong to another kind, or the polygon is not valid */
export const readTarget = (target: WatchTarget): StoredTarget => {
  const { kind } = target
  const needed = TARGET_FIELDS[kind]
  const given = ALL_FIELDS.filter((field) => target[field] !== undefined)
  if (given.length !== needed.length || given.some((field) => !needed.includes(field))) {
    throw new ServiceError(
      'bad_input',
      needed.length === 0
        ? `a watch of kind ${kind} takes no field of another kind`
        : `a watch of kind ${kind} needs ${needed.join(' and ')}, and no field of another kind`,
    )
  }
  const ownerName = target.owner_name?.trim() ?? null
  if (ownerName !== null && !/[\p{L}\p{N}]/u.test(ownerName)) {
    throw new ServiceError('bad_input', 'owner_name must have a letter or digit')
  }
  const polygon = target.polygon === undefined ? null : readPolygon('polygon', target.polygon, WATCH_BOUNDS.positions)
  return {
    kind,
    ownerName,
    polygon,
    source: target.source ?? null,
    sourceParcelId: target.source_parcel_id ?? null,
    bbox: polygon === null ? null : toBox(polygon),
  }
}

/** The text form of a PostgreSQL box. */
const toBox = (polygon: MultiPolygon): string => {
  const [west, south, east, north] = bboxOf(polygon)
  return `(${east},${north}),(${west},${south})`
}
