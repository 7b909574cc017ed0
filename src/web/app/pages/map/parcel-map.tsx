import { useQuery } from '@tanstack/react-query'
import * as maplibregl from 'maplibre-gl'
import mapStyles from 'maplibre-gl/dist/maplibre-gl.css' with { type: 'file' }
import { useEffect, useMemo, useRef, useState } from 'react'
import { repeatFailed } from '../../api/queries'
import { useTheme } from '../../shell/theme'
import { Button } from '../../ui/button'
import { type CoveredSource, useCoverage } from '../coverage/coverage-api'
import { type Area, toPolygon } from './area'
import { type Archive, openArchive } from './base-map/archive'
import { useBaseMap } from './base-map/base-map'
import { type AddressedLot, placeStreetNames } from './base-map/street-names'
import { type UsOutlines, useUsOutlines } from './base-map/us-outlines'
import { boundsOf, paddingIn } from './bounds'
import { type CountyArea, listCountyAreas } from './county-areas'
import { CountyMenu } from './county-menu'
import type { Drawing } from './draw'
import { MapLegend } from './map-legend'
import type { MapHit, MapParcel, MultiPolygon, ParcelName, Point } from './map-parcel'
import { COUNTY_LAYERS, createMapStyle, filterCounties, named, PARCEL_LAYERS, STREET_NAMES_MIN_ZOOM } from './map-style'
import { MapTools, type MapToolsProps } from './map-tools'
import { ParcelLabel } from './parcel-label'
import { listenToPointer, type Pointed } from './pointer'

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
  const formerView = useRef<Pick<maplibregl.MapOptions, 'center' | 'zoom' | 'bearing' | 'pitch'> | null>(null)
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
    const made = new maplibregl.Map({
      container: element,
      style: createMapStyle(archive ?? null, shownTheme.current, baseMap),
      ...(formerView.current ??
        (archive
          ? { bounds: archive.bounds, fitBoundsOptions: { padding: paddingIn(element) } }
          : { center: [-98, 39], zoom: 3 })),
      maxZoom: 20,
      hash: latest.current.isInAddress,
      attributionControl: { compact: true },
    })
    made.addControl(new maplibregl.NavigationControl({ visualizePitch: false }), 'bottom-right')
    made.addControl(new maplibregl.ScaleControl({ unit: 'imperial' }), 'bottom-left')
    made.getCanvas().setAttribute('aria-label', 'Map of parcels')
    // A new style has empty sources, so fill them again.
    made.on('style.load', () => {
      fill(made, latest.current)
      placedNames.delete(made)
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
      formerView.current = archive
        ? { center: made.getCenter(), zoom: made.getZoom(), bearing: made.getBearing(), pitch: made.getPitch() }
        : null
      const { href, pathname } = location
      made.remove()
      // maplibre-gl has removed the hash of the URL, which is that of the next page by now.
      if (pathname !== path) history.replaceState(history.state, '', href)
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
    fill(map, latest.current)
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

  const selectedPath = selected && pathOf(selected)
  useEffect(() => {
    if (map === null) return
    highlight(map, latest.current)
    const { dataset } = map.getContainer()
    if (selectedPath === null) delete dataset.selected
    else dataset.selected = selectedPath
  }, [map, selectedPath])

  useEffect(() => {
    if (map?.getLayer('hits')) paintActive(map, activeId)
  }, [map, activeId])

  // The page shows more about the selected parcel than a label.
  const labeled = pointed !== null && pathOf(pointed.parcel) !== selectedPath ? pointed : null
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

/** Why no parcels, or none of the hits, are visible. `map`: the map, if it shows no parcel at its position. */
const MapNote = ({
  archive,
  error,
  map,
  hits,
  isUnplaced,
}: {
  archive: Archive | null | undefined
  error: Error | null
  map: maplibregl.Map | null
} & Required<Pick<ParcelMapProps, 'hits' | 'isUnplaced'>>) => {
  if (archive === null) {
    return (
      <p className="map-note" role="status">
        There are no boundaries yet. They appear here after the first build: <code>bun run tiles:build</code>.
      </p>
    )
  }
  if (error !== null) {
    return (
      <p className="map-note" role="status">
        The boundaries cannot be loaded.
      </p>
    )
  }
  if (isUnplaced) {
    return (
      <p className="map-note" role="status">
        The location of these parcels is not known.
      </p>
    )
  }
  if (map === null || archive === undefined) return null
  return (
    <p className="map-note" role="status">
      {shows(map, COUNTY_LAYERS)
        ? 'Click a county, or zoom in, to see parcels.'
        : map.getZoom() >= archive.parcelsMinZoom || archive.hasOverview
          ? hits.some((hit) => map.getBounds().contains(hit))
            ? 'The boundaries of these parcels are not drawn yet. This page shows them after the next build of the tiles.'
            : 'There are no parcels here.'
          : 'Zoom in to see parcels.'}{' '}
      <Button onClick={() => map.fitBounds(archive.bounds, { padding: paddingIn(map.getContainer()) })}>
        Show all parcels
      </Button>
    </p>
  )
}

/** The names that were placed last. Placing the same names again would keep the map busy forever. */
const placedNames = new WeakMap<maplibregl.Map, string>()

/** Writes the names of the streets that the view shows. */
const nameStreets = (map: maplibregl.Map): void => {
  if (!map.getLayer('street-names') || !map.getLayer('parcels')) return
  const lots = new Map<string, AddressedLot>()
  const features = map.getZoom() < STREET_NAMES_MIN_ZOOM ? [] : map.queryRenderedFeatures({ layers: ['parcels'] })
  for (const { properties, geometry } of features) {
    const { situs_address: address } = properties as MapParcel
    if (!address || (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')) continue
    const positions = geometry.type === 'Polygon' ? geometry.coordinates.flat() : geometry.coordinates.flat(2)
    const center = boundsOf(positions as [number, number][])?.getCenter()
    if (center) lots.set(pathOf(properties as ParcelName), { address, lon: center.lng, lat: center.lat })
  }
  const names = placeStreetNames([...lots.values()])
  const text = JSON.stringify(names)
  if (text === (placedNames.get(map) ?? '[]')) return
  placedNames.set(map, text)
  map.getContainer().dataset.streets = String(names.length)
  map.getSource<maplibregl.GeoJSONSource>('street-names')?.setData({ type: 'FeatureCollection', features: names })
}

/** Whether the view shows a feature of the layers. Checks a few points first, because listing everything in view takes time. */
const shows = (map: maplibregl.Map, names: readonly string[]): boolean => {
  const layers = names.filter((name) => map.getLayer(name))
  if (layers.length === 0) return false
  const { clientWidth, clientHeight } = map.getContainer()
  const places = [0.5, 0.2, 0.8]
  return (
    places.some((x) =>
      places.some((y) => map.queryRenderedFeatures([x * clientWidth, y * clientHeight], { layers }).length > 0),
    ) || map.queryRenderedFeatures({ layers }).length > 0
  )
}

type Shown = Required<Pick<ParcelMapProps, 'hits' | 'activeId' | 'counties' | 'selected' | 'boundary' | 'area'>> & {
  areas: readonly CountyArea[]
  outlines: UsOutlines | undefined
}
type ParcelMapState = Shown &
  Required<Pick<ParcelMapProps, 'isFollowing' | 'isInAddress'>> & {
    onActive: ParcelMapProps['onActive'] | undefined
    onPick: ParcelMapProps['onPick'] | undefined
  }

const fill = (map: maplibregl.Map, shown: Shown): void => {
  const { hits, activeId, boundary } = shown
  map.getSource<maplibregl.GeoJSONSource>('hits')?.setData({
    type: 'FeatureCollection',
    features: hits.map(({ lon, lat, ...properties }) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [lon, lat] },
    })),
  })
  const center = boundsOf(pointsOf([], boundary))?.getCenter().toArray()
  const shapes =
    boundary === null || center === undefined
      ? []
      : [...(boundary.type === 'Point' ? [] : [boundary]), { type: 'Point' as const, coordinates: center }]
  map.getSource<maplibregl.GeoJSONSource>('boundary')?.setData({
    type: 'FeatureCollection',
    features: shapes.map((geometry) => ({
      type: 'Feature',
      properties: { is_place: boundary?.type === 'Point' },
      geometry,
    })),
  })
  if (map.getLayer('hits')) paintActive(map, activeId)
  if (map.getLayer('parcel-hits')) map.setFilter('parcel-hits', named(hits))
  highlight(map, shown)
}

const fillArea = (map: maplibregl.Map, area: Area | null): void => {
  const features = area === null || area.length === 0 ? [] : [toPolygon(area)]
  map.getSource<maplibregl.GeoJSONSource>('area')?.setData({
    type: 'FeatureCollection',
    features: features.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
  })
  map.getContainer().dataset.area = String(features.length > 0)
}

const fillOutlines = (map: maplibregl.Map, { outlines, areas }: Shown): void => {
  if (outlines === undefined) return
  // The counties with parcels have a name of their own on the map, with the state.
  const isNamed = (name: string) => areas.some((area) => area.name.startsWith(`${name}, `))
  const { countyNames } = outlines
  map.getSource<maplibregl.GeoJSONSource>('county-labels')?.setData({
    ...countyNames,
    features: countyNames.features.filter(({ properties }) => !isNamed(properties.name)),
  })
  map.getSource<maplibregl.GeoJSONSource>('states')?.setData(outlines.states)
  map.getSource<maplibregl.GeoJSONSource>('state-names')?.setData(outlines.stateNames)
  map.getSource<maplibregl.GeoJSONSource>('counties')?.setData(outlines.counties)
  map.getSource<maplibregl.GeoJSONSource>('water')?.setData(outlines.water)
}

const flyTo = (map: maplibregl.Map, [west, south, east, north]: CountyArea['bbox']): void => {
  const animate = !matchMedia('(prefers-reduced-motion: reduce)').matches
  map.fitBounds([west, south, east, north], { padding: paddingIn(map.getContainer(), 30), animate })
}

/** Highlights the selected parcel in the tiles until its exact boundary is loaded. */
const highlight = (map: maplibregl.Map, { selected, boundary }: Shown): void => {
  if (!map.getLayer('parcel-selected')) return
  map.setFilter('parcel-selected', named(selected === null || boundary !== null ? [] : [selected]))
}

const paintActive = (map: maplibregl.Map, activeId: string | null): void => {
  map.setPaintProperty('hits', 'circle-radius', ['case', ['==', ['get', 'id'], activeId ?? ''], 9, 6])
  map.setPaintProperty('hits', 'circle-stroke-width', ['case', ['==', ['get', 'id'], activeId ?? ''], 3, 1.5])
}

/** The points of the boundary, if there is one, otherwise of the hits and the areas. */
const pointsOf = (
  hits: readonly MapHit[],
  boundary: MultiPolygon | Point | null,
  areas: readonly CountyArea[] = [],
): [lon: number, lat: number][] =>
  boundary
    ? boundary.type === 'Point'
      ? [boundary.coordinates]
      : (boundary.coordinates.flat(2) as [number, number][])
    : [
        ...hits.map(({ lon, lat }): [number, number] => [lon, lat]),
        ...areas.flatMap(({ bbox: [west, south, east, north] }): [number, number][] => [
          [west, south],
          [east, north],
        ]),
      ]

const pathOf = ({ source, source_parcel_id }: ParcelName): string => `${source}/${source_parcel_id}`
