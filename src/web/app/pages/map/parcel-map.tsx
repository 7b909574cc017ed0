import mapStyles from 'maplibre-gl/dist/maplibre-gl.css' with { type: 'file' }
import { useMemo, useRef } from 'react'
import { type CoveredSource, useCoverage } from '../coverage/coverage-api'
import { useUsOutlines } from './base-map/us-outlines'
import { isUnplacedSource, listCountyAreas } from './counties/county-areas'
import { CountyMenu } from './counties/county-menu'
import type { Area } from './drawing/area'
import type { Drawing } from './drawing/draw'
import { MapTools, type MapToolsProps } from './drawing/map-tools'
import { MapLegend } from './map-legend'
import { MapNote } from './map-note'
import { keyOf, type MapHit, type MultiPolygon, type ParcelName, type Point } from './map-parcel'
import { type LatestProps, useOpenMap } from './maplibre/use-open-map'
import { useShown } from './maplibre/use-shown'
import { flyTo } from './maplibre/view'
import { ParcelLabel } from './parcel-label'

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
  const drawing = useRef<Drawing | null>(null)
  const latest = useRef({} as LatestProps)
  const { map, pointed, empty, isLow, theme, archive, error } = useOpenMap(container, {
    latest,
    drawing,
    hasHits: hits.length > 0,
  })
  const { data: coverage } = useCoverage()
  const needsOutlines = counties !== null && (coverage?.sources.some(isUnplacedSource) ?? false)
  const { data: outlines, isPending } = useUsOutlines(isLow || needsOutlines)
  const allAreas = useMemo(
    () => listCountyAreas(coverage?.sources ?? NO_SOURCES, outlines?.boxOfCounty),
    [coverage, outlines],
  )
  const areas = useMemo(() => {
    if (counties === null) return allAreas
    // The map flies to its counties once.
    return needsOutlines && isPending
      ? []
      : allAreas.filter(({ sources }) => sources.some((slug) => counties.includes(slug)))
  }, [allAreas, counties, needsOutlines, isPending])
  const shown = { hits, activeId, counties, areas, outlines, selected, boundary, area }
  latest.current = { ...shown, isFollowing, isInAddress, onActive, onPick }
  useShown(map, latest, shown, isHeld)

  // The page shows more about the selected parcel than a label.
  const labeled = pointed !== null && keyOf(pointed.parcel) !== (selected && keyOf(selected)) ? pointed : null
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
        <MapNote archive={archive} error={error} map={empty?.map ?? null} hits={hits} isUnplaced={isUnplaced} />
      )}
      {isInAddress && <MapLegend theme={theme} />}
      {map !== null && (
        <div className="map-bar">
          {hasCountyMenu && areas.length > 1 && <CountyMenu areas={areas} onPick={(bbox) => flyTo(map, bbox)} />}
          {counties === null && <MapTools map={map} drawing={drawing} onArea={onArea} onBox={onBox} />}
        </div>
      )}
    </>
  )
}
