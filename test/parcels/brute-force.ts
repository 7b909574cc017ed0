import area from '@turf/area'
import { booleanIntersects } from '@turf/boolean-intersects'
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import { difference } from '@turf/difference'
import { pointToPolygonDistance } from '@turf/point-to-polygon-distance'
import type { Feature, MultiPolygon, Polygon, Position } from 'geojson'
import { type Bbox, bboxOf } from '../../core/geometry/bbox'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import type { AreaRelation } from '../../src/parcels/geometry/prepared-area'
import type { ParcelPage } from '../../src/parcels/list-parcels'
import { readCursor } from '../../src/parcels/parcel-cursor'
import { findParcelsAt } from '../../src/parcels/parcels-at-point'
import { findParcelsInArea } from '../../src/parcels/parcels-in-area'
import { findParcelsNear } from '../../src/parcels/parcels-near'
import type { RankCursor } from '../../src/parcels/ranked-page'

/* Questions about places, answered by the service and by comparing every parcel with Turf. */

export interface KnownParcel {
  id: string
  feature: Feature<MultiPolygon>
  bbox: Bbox
}

export type PlaceQuestion =
  | { kind: 'at'; lon: number; lat: number }
  | { kind: 'near'; lon: number; lat: number; withinM: number; limit: number }
  | { kind: 'area'; area: Polygon; relation: AreaRelation; limit: number }

export const readKnownParcels = async (sql: Db): Promise<KnownParcel[]> => {
  const rows = await sql<
    { id: string; geom: MultiPolygon }[]
  >`select id, geom from live_parcels where geom is not null order by id`
  return rows.map(({ id, geom }) => {
    const bbox = bboxOf(geom)
    return { id, bbox, feature: { type: 'Feature', bbox, properties: {}, geometry: geom } }
  })
}

/** The ids that the service returns, on all pages. */
export const askService = async (sql: Db, question: PlaceQuestion): Promise<string[]> => {
  const rows = { filter: LISTED_PARCELS, fields: [], geometry: 'none' as const }
  const read = (after: string | null): Promise<ParcelPage> => {
    const ranked = after === null ? null : (readCursor('ranked', after) as RankCursor)
    if (question.kind === 'at') return findParcelsAt(sql, { ...rows, at: question, after: ranked, limit: 100 })
    const { limit } = question
    if (question.kind === 'near') {
      return findParcelsNear(sql, { ...rows, near: question, withinM: question.withinM, after: ranked, limit })
    }
    const wanted = {
      area: { type: 'MultiPolygon' as const, coordinates: [question.area.coordinates] },
      relation: question.relation,
    }
    return findParcelsInArea(sql, {
      ...rows,
      ...wanted,
      order: 'id',
      after: after === null ? null : { id: after },
      limit,
    })
  }
  const ids: string[] = []
  for (let after: string | null = null; ; ) {
    const page = await read(after)
    ids.push(...page.parcels.map(({ body }) => (JSON.parse(body) as { id: string }).id))
    after = page.next
    if (after === null) return ids
  }
}

/** Turf takes long for each parcel, so those whose box is far away are left out first. */
const isFar = ([west, south, east, north]: Bbox, [w, s, e, n]: Bbox): boolean =>
  west > e || east < w || south > n || north < s

/** The ids that Turf finds: by distance for `near`, else by id. */
export const askTurf = (parcels: readonly KnownParcel[], question: PlaceQuestion): string[] => {
  if (question.kind === 'at') {
    const point = [question.lon, question.lat]
    return parcels
      .filter(
        ({ bbox, feature }) =>
          !isFar(bbox, [question.lon, question.lat, question.lon, question.lat]) &&
          booleanPointInPolygon(point, feature),
      )
      .map(({ id }) => id)
  }
  if (question.kind === 'near') {
    const { lon, lat, withinM } = question
    const degrees = withinM / 30_000
    const around: Bbox = [lon - degrees, lat - degrees, lon + degrees, lat + degrees]
    return parcels
      .filter(({ bbox }) => !isFar(bbox, around))
      .map(({ id, feature }) => ({
        id,
        distance: Math.max(0, pointToPolygonDistance([lon, lat], feature, { units: 'meters' })),
      }))
      .filter(({ distance }) => distance <= withinM)
      .toSorted((a, b) => toMicrometers(a.distance) - toMicrometers(b.distance) || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id)
  }
  const box = bboxOf(question.area)
  const shape: Feature<Polygon> = { type: 'Feature', properties: {}, geometry: question.area }
  return parcels
    .filter(({ bbox, feature }) => !isFar(bbox, box) && relates(feature, shape, question.relation))
    .map(({ id }) => id)
}

/** Parcels with a common corner are equally far away, apart from rounding. */
const toMicrometers = (meters: number): number => Math.round(meters * 1e6)

/** A parcel may leave an area by a tenth of a millimeter. */
const SLIVER_SQ_M = 1e-8

const relates = (parcel: Feature<MultiPolygon>, shape: Feature<Polygon>, relation: AreaRelation): boolean => {
  if (relation === 'intersects') return booleanIntersects(parcel, shape)
  const outside = difference({ type: 'FeatureCollection', features: [parcel, shape] })
  return outside === null || area(outside) < SLIVER_SQ_M
}

/** Questions in and around `bounds`. `random` returns numbers from 0 to 1. */
export const drawQuestion = (random: () => number, [west, south, east, north]: Bbox, sizeM: number): PlaceQuestion => {
  const lon = west + random() * (east - west)
  const lat = south + random() * (north - south)
  const kind = random()
  const limit = 1 + Math.floor(random() * 60)
  if (kind < 0.4) return { kind: 'at', lon, lat }
  if (kind < 0.7) return { kind: 'near', lon, lat, withinM: 1 + random() * sizeM, limit }
  const coordinates = drawRings(random, lon, lat, sizeM)
  return {
    kind: 'area',
    area: { type: 'Polygon', coordinates },
    relation: random() < 0.5 ? 'intersects' : 'within',
    limit,
  }
}

/** A star with corners at random distances, and sometimes a hole in it. */
const drawRings = (random: () => number, lon: number, lat: number, sizeM: number): Position[][] => {
  const radius = (0.3 + random()) * (sizeM / 111_000)
  const corners = 3 + Math.floor(random() * 12)
  const ringOf = (share: number, turn: 1 | -1): Position[] => {
    const ring = Array.from({ length: corners }, (_, index): Position => {
      const angle = (turn * 2 * Math.PI * index) / corners
      const reach = radius * share * (turn === 1 ? 0.6 + random() * 0.4 : 0.3 + random() * 0.4)
      return [lon + (reach * Math.cos(angle)) / Math.cos((lat * Math.PI) / 180), lat + reach * Math.sin(angle)]
    })
    return [...ring, ring[0] as Position]
  }
  const outer = ringOf(1, 1)
  // A hole of a third to two thirds of the least radius, if the polygon has enough corners to be around its center.
  return random() < 0.4 && corners > 5 ? [outer, ringOf(0.6, -1)] : [outer]
}
