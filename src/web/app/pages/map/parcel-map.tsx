import { useQuery } from '@tanstack/react-query'
import type * as maplibregl from 'maplibre-gl'
import mapStyles from 'maplibre-gl/dist/maplibre-gl.css' with { type: 'file' }
import { useEffect, useMemo, useRef, useState } from 'react'
import { repeatFailed } from '../../api/queries'
import { useTheme } from '../../shell/theme'
import { type CoveredSource, useCoverage } from '../coverage/coverage-api'
import { openArchive } from './base-map/archive'
import { useBaseMap } from './base-map/base-map'
import { forgetStreets, nameStreets } from './base-map/name-streets'
import { useUsOutlines } from './base-map/us-outlines'
import { boundsOf, paddingIn } from './bounds'
import { listCountyAreas } from './county-areas'
import { CountyMenu } from './county-menu'
import type { Area } from './drawing/area'
import type { Drawing } from './drawing/draw'
import { MapTools, type MapToolsProps } from './drawing/map-tools'
import { MapLegend } from './map-legend'
import { MapNote } from './map-note'
import { keyOf, type MapHit, type MultiPolygon, type ParcelName, type Point } from './map-parcel'
import { closeMap, openMap, type View, viewOf } from './open-map'
import { ParcelLabel } from './parcel-label'
import { listenToPointer, type Pointed } from './pointer'
import { fillArea, fillOutlines, fillResults, highlight, paintActive, pointsOf, type Shown } from './shown'
import { filterCounties } from './style/county-layers'
import { createMapStyle } from './style/map-style'
import { PARCEL_LAYERS } from './style/parcel-layers'
import { flyTo, shows } from './view'

export interface ParcelMapProps {
  hits?: readonly MapHit[]
  /** Whether parcels were found, but the location of none is known. */
  isUnplaced?: boolean
  activeId?: string | null
  /** Slugs of the sources whose counties are shown. A map with these is about counties. Null: all counties. */
  counties?: readonly string[] | null
  /** The parcel that is highlighted. */
  selected?: ParcelName | null
  /** Its boundary or point, once it is known. */
  boundary?: MultiPolygon | Point | null
  /** Whether the map flies to its hits, or to the boundary, when they change. */
  isFollowing?: boolean
  /** Whether the map is paused, because drawing it slows down the rest of the page. */
  isHeld?: boolean
  /** Whether a menu leads to the counties of the service. */
  hasCountyMenu?: boolean
  /** Whether the page's address contains the zoom, latitude and longitude of the map. */
  isInAddress?: boolean
  /** An area that is outlined, such as the one that is searched. */
  area?: Area | null
  /** Called with an area that was drawn. */
  onArea?: MapToolsProps['onArea']
  /** Called with the box that the map shows, to search it. */
  onBox?: MapToolsProps['onBox']
  onActive?: (id: string | null) => void
  /** Called when a parcel is picked; null: a place without a parcel. */
  onPick?: (name: ParcelName | null) => void
}

const NO_HITS: readonly MapHit[] = []
const NO_SOURCES: readonly CoveredSource[] = []
/** The maximum zoom for hits, so that the street and the neighbors of a single hit remain visible. */
const HITS_ZOOM = 15.5
const BOUNDARY_ZOOM = 17
/** Below this zoom the map shows the borders of states and counties. */
const OUTLINES_MAX_ZOOM = 11

/** How often to look for a newer archive while the map lacks parcels that it should draw. */
const LOOK_FOR_ARCHIVE_MS = 10_000

/** Null: no archive has been built yet. `isBehind`: the archive lacks parcels of the page. */
const useArchive = (isBehind: boolean) =>
  useQuery({
    queryKey: ['tiles', 'manifest'],
    queryFn: ({ signal }) => openArchive(signal),
    staleTime: 60_000,
    refetchInterval: (query) =>
      repeatFailed(query) || (isBehind || query.state.data === null ? LOOK_FOR_ARCHIVE_MS : false),
  })

/** The props that event handlers read, which outlive a rendering. */
type ParcelMapState = Shown &
  Required<Pick<ParcelMapProps, 'isFollowing' | 'isInAddress'>> & {
    onActive: ParcelMapProps['onActive'] | undefined
    onPick: ParcelMapProps['onPick'] | undefined
  }

/** The map of every page: the boundaries of all parcels, from the tile archive, with hits and a selected parcel. */
export const ParcelMap = ({
  hits = NO_HITS,
  isUnplaced = false,
  activeId = null,
  counties = null,
  selected = null,
  boundary = null,
  isFollowing = true,
  isHeld = false,
  hasCountyMenu = false,
  isInAddress = false,
  area = null,
  onArea,
  onBox,
  onActive,
  onPick,
}: ParcelMapProps) => {
  const container = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<maplibregl.Map | null>(null)
  const [pointed, setPointed] = useState<Pointed | null>(null)
  /** The map, if it shows no parcel. A new object each time it comes to rest, because the note tells what is seen at its position. */
  const [empty, setEmpty] = useState<{ map: maplibregl.Map } | null>(null)
  const theme = useTheme()
  const { data: archive, error } = useArchive(empty !== null && hits.length > 0)
  const { data: baseMap = null, isPending: isBaseMapPending } = useBaseMap()
  const isKnown = (archive !== undefined || error !== null) && !isBaseMapPending
  // The theme of an open map is changed in place.
  const shownTheme = useRef(theme)
  const hasFlown = useRef(false)
  /** Where the map was when a newer archive replaced it. */
  const formerView = useRef<View | null>(null)
  /** What the map has flown to, so that closing a parcel leaves the map where it is. */
  const flownTo = useRef<{ hits: readonly MapHit[] | null; boundary: MultiPolygon | Point | null }>({
    hits: null,
    boundary: null,
  })
  const [isLow, setLow] = useState(false)
  const { data: outlines } = useUsOutlines(isLow)
  const { data: coverage } = useCoverage()
  const areas = useMemo(() => listCountyAreas(coverage?.sources ?? NO_SOURCES), [coverage])
  const shownAreas = useMemo(
    () => areas.filter(({ sources }) => counties === null || sources.some((slug) => counties.includes(slug))),
    [areas, counties],
  )
  const latest = useRef({} as ParcelMapState)
  latest.current = {
    ...{ hits, activeId, counties, areas: shownAreas, outlines, selected, boundary, area },
    ...{ isFollowing, isInAddress, onActive, onPick },
  }
  const drawing = useRef<Drawing | null>(null)

  useEffect(() => {
    const element = container.current
    if (!isKnown || element === null) return
    const path = location.pathname
    const made = openMap(element, {
      ...{ archive: archive ?? null, baseMap, theme: shownTheme.current },
      ...{ view: formerView.current, isInAddress: latest.current.isInAddress },
    })
    // A new style has empty sources, so fill them again.
    made.on('style.load', () => {
      fillResults(made, latest.current)
      forgetStreets(made)
      fillArea(made, latest.current.area)
      fillOutlines(made, latest.current)
      filterCounties(made, latest.current.counties)
      setMap(made)
    })
    // Tests and scripts cannot read a canvas, so they read these attributes.
    made.on('movestart', () => {
      element.dataset.view = 'moving'
    })
    const noteZoom = () => setLow(made.getZoom() < OUTLINES_MAX_ZOOM)
    made.on('load', noteZoom)
    made.on('zoomend', noteZoom)
    made.on('idle', () => {
      element.dataset.view = 'idle'
      setEmpty(shows(made, PARCEL_LAYERS) ? null : { map: made })
      nameStreets(made)
    })
    listenToPointer(made, {
      onPoint: (next) => {
        setPointed(next)
        if (next?.hitId) latest.current.onActive?.(next.hitId)
      },
      onPick: (name) => latest.current.onPick?.(name),
      onPickCounty: (bbox) => flyTo(made, bbox),
      getDrawing: () => drawing.current,
    })
    return () => {
      setMap(null)
      setEmpty(null)
      formerView.current = archive ? viewOf(made) : null
      closeMap(made, path)
    }
  }, [isKnown, archive, baseMap])

  useEffect(() => {
    if (map === null || shownTheme.current === theme) return
    shownTheme.current = theme
    map.setStyle(createMapStyle(archive ?? null, theme, baseMap), { diff: false })
  }, [map, theme, archive, baseMap])

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
    flownTo.current = { hits, boundary: boundary ?? flownTo.current.boundary }
    const bounds = boundsOf(pointsOf(hits, boundary, counties === null ? [] : latest.current.areas))
    if (bounds === null || isSeen || !latest.current.isFollowing) return
    const isStill = !hasFlown.current || matchMedia('(prefers-reduced-motion: reduce)').matches
    hasFlown.current = true
    const [padding, maxZoom] = [paddingIn(map.getContainer()), boundary === null ? HITS_ZOOM : BOUNDARY_ZOOM]
    map.fitBounds(bounds, { padding, maxZoom, animate: !isStill })
  }, [map, hits, counties, boundary, isHeld])

  useEffect(() => {
    if (map === null) return
    fillOutlines(map, latest.current)
    filterCounties(map, counties)
    map.getContainer().dataset.areas = String(shownAreas.length)
    map.getContainer().dataset.outlines = String(outlines !== undefined)
  }, [map, outlines, shownAreas, counties])

  useEffect(() => {
    if (map !== null) fillArea(map, area)
  }, [map, area])

  const selectedKey = selected && keyOf(selected)
  useEffect(() => {
    if (map === null) return
    highlight(map, latest.current)
    const { dataset } = map.getContainer()
    if (selectedKey === null) delete dataset.selected
    else dataset.selected = selectedKey
  }, [map, selectedKey])

  useEffect(() => {
    if (map?.getLayer('hits')) paintActive(map, activeId)
  }, [map, activeId])

  // The page shows more about the selected parcel than a label.
  const labeled = pointed !== null && keyOf(pointed.parcel) !== selectedKey ? pointed : null
  return (
    <>
      {/* React waits for it, and puts it before the app's own styles. */}
      <link rel="stylesheet" href={mapStyles} precedence="low" />
      <div ref={container} className="map" data-ready={map !== null || undefined} />
      <ParcelLabel
        pointed={labeled}
        width={container.current?.clientWidth ?? 0}
        height={container.current?.clientHeight ?? 0}
      />
      {counties === null && (
        <MapNote archive={archive} error={error} map={empty?.map ?? null} {...{ hits, isUnplaced }} />
      )}
      {isInAddress && <MapLegend theme={theme} />}
      {map !== null && (
        <div className="map-bar">
          {hasCountyMenu && shownAreas.length > 1 && (
            <CountyMenu areas={shownAreas} onPick={(bbox) => flyTo(map, bbox)} />
          )}
          {counties === null && <MapTools map={map} drawing={drawing} onArea={onArea} onBox={onBox} />}
        </div>
      )}
    </>
  )
}
