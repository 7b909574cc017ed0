import type * as maplibregl from 'maplibre-gl'
import { type RefObject, useEffect, useRef } from 'react'
import { keyOf, type MapHit, type MultiPolygon, type Point } from '../map-parcel'
import { filterCounties } from '../style/county-layers'
import { boundsOf, paddingIn } from './bounds'
import { fillArea, fillOutlines, fillResults, highlight, paintActive, pointsOf, type Shown } from './shown'
import type { LatestProps } from './use-open-map'

/** The maximum zoom for hits, so that the street and the neighbors of a single hit remain visible. */
const HITS_ZOOM = 15.5
const BOUNDARY_ZOOM = 17

/**
 * Keeps what the map shows in step with the props of the page, and flies to new hits or a new boundary. `isHeld` pauses the map. Tests and
 * scripts cannot read a canvas, so the attributes of the map's element say what it shows.
 */
export const useShown = (
  map: maplibregl.Map | null,
  latest: RefObject<LatestProps>,
  { hits, activeId, counties, areas, outlines, selected, boundary, area }: Shown,
  isHeld: boolean,
): void => {
  const hasFlown = useRef(false)
  /** What the map has flown to, so that closing a parcel leaves the map where it is. */
  const flownTo = useRef<{ hits: readonly MapHit[] | null; boundary: MultiPolygon | Point | null }>({
    hits: null,
    boundary: null,
  })
  const selectedKey = selected && keyOf(selected)

  useEffect(() => {
    if (map === null) return
    if (isHeld) {
      if (map.isMoving()) map.stop()
      return
    }
    fillResults(map, latest.current)
    const { dataset } = map.getContainer()
    dataset.hits = String(hits.length)
    dataset.boundary = String(boundary !== null)
    const isSeen = boundary === null ? flownTo.current.hits === hits : flownTo.current.boundary === boundary
    const bounds = boundsOf(pointsOf(hits, boundary, counties === null ? [] : areas))
    if (bounds === null) return
    flownTo.current = { hits, boundary: boundary ?? flownTo.current.boundary }
    if (isSeen || !latest.current.isFollowing) return
    const isStill = !hasFlown.current || matchMedia('(prefers-reduced-motion: reduce)').matches
    hasFlown.current = true
    const [padding, maxZoom] = [paddingIn(map.getContainer()), boundary === null ? HITS_ZOOM : BOUNDARY_ZOOM]
    map.fitBounds(bounds, { padding, maxZoom, animate: !isStill })
  }, [map, latest, hits, counties, areas, boundary, isHeld])

  useEffect(() => {
    if (map === null) return
    fillOutlines(map, latest.current)
    filterCounties(map, counties)
    map.getContainer().dataset.areas = String(areas.length)
    map.getContainer().dataset.outlines = String(outlines !== undefined)
  }, [map, latest, outlines, areas, counties])

  useEffect(() => {
    if (map !== null) fillArea(map, area)
  }, [map, area])

  useEffect(() => {
    if (map === null) return
    highlight(map, latest.current)
    const { dataset } = map.getContainer()
    if (selectedKey === null) delete dataset.selected
    else dataset.selected = selectedKey
  }, [map, latest, selectedKey])

  useEffect(() => {
    if (map?.getLayer('hits')) paintActive(map, activeId)
  }, [map, activeId])
}
