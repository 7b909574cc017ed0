import { useQuery } from '@tanstack/react-query'
import * as maplibregl from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import { useTheme } from '../shell/theme'
import { openArchive } from './archive'
import { boundsOf } from './bounds'
import { featureLabel } from './feature-label'
import { createMapStyle } from './map-style'

export interface ParcelName {
  source: string
  source_parcel_id: string
}

export interface MapHit extends ParcelName {
  id: string
  label: string
  lon: number
  lat: number
}

type MultiPolygon = { type: 'MultiPolygon'; coordinates: number[][][][] }

export interface ParcelMapProps {
  hits?: readonly MapHit[]
  /** The parcel that the page is about. */
  boundary?: MultiPolygon | null
  activeId?: string | null
  /** Whether the map stands still: drawing takes time from what else goes on in the page. */
  isHeld?: boolean
  onActive?: (id: string | null) => void
  onPick?: (name: ParcelName) => void
}

const NO_HITS: readonly MapHit[] = []
/** A hit is a point: as near as its street and its neighbours are still seen. */
const HITS_ZOOM = 15.5

/** Null: no archive has been built yet. */
const useArchive = () =>
  useQuery({ queryKey: ['tiles', 'manifest'], queryFn: ({ signal }) => openArchive(signal), staleTime: 60_000 })

/** Boundaries of all parcels from the tile archive, hits as dots, and the boundary of the parcel that it is about. */
export const ParcelMap = ({
  hits = NO_HITS,
  boundary = null,
  activeId = null,
  isHeld = false,
  onActive,
  onPick,
}: ParcelMapProps) => {
  const container = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<maplibregl.Map | null>(null)
  const theme = useTheme()
  const { data: archive, error } = useArchive()
  const isKnown = archive !== undefined || error !== null
  // The theme of an open map is changed in place.
  const shownTheme = useRef(theme)
  const hasFlown = useRef(false)
  const latest = useRef({ hits, boundary, activeId, onActive, onPick })
  latest.current = { hits, boundary, activeId, onActive, onPick }

  useEffect(() => {
    if (!isKnown || container.current === null) return
    const made = new maplibregl.Map({
      container: container.current,
      style: createMapStyle(archive?.key ?? null, shownTheme.current),
      ...(archive ? { bounds: archive.bounds, fitBoundsOptions: { padding: 30 } } : { center: [-98, 39], zoom: 3 }),
      maxZoom: 20,
      attributionControl: false,
    })
    made.addControl(new maplibregl.NavigationControl({ visualizePitch: false }), 'bottom-right')
    made.addControl(new maplibregl.ScaleControl({ unit: 'imperial' }), 'bottom-left')
    made.getCanvas().setAttribute('aria-label', 'Map of parcels')
    // A style brings its sources empty: those of this page are filled each time.
    made.on('style.load', () => {
      fill(made, latest.current)
      setMap(made)
    })
    listen(made, latest)
    return () => {
      setMap(null)
      made.remove()
    }
  }, [isKnown, archive])

  useEffect(() => {
    if (map === null || shownTheme.current === theme) return
    shownTheme.current = theme
    map.setStyle(createMapStyle(archive?.key ?? null, theme), { diff: false })
  }, [map, theme, archive])

  useEffect(() => {
    if (map === null) return
    if (isHeld) {
      if (map.isMoving()) map.stop()
      return
    }
    fill(map, latest.current)
    // What is drawn is drawn on a canvas, which tells nobody: tests and scripts may ask the element.
    map.getContainer().dataset.hits = String(hits.length)
    map.getContainer().dataset.boundary = String(boundary !== null)
    const bounds = boundsOf(pointsOf(hits, boundary))
    if (bounds === null) return
    const isStill = !hasFlown.current || matchMedia('(prefers-reduced-motion: reduce)').matches
    hasFlown.current = true
    map.fitBounds(bounds, { padding: 60, maxZoom: boundary === null ? HITS_ZOOM : 17, animate: !isStill })
  }, [map, hits, boundary, isHeld])

  useEffect(() => {
    if (map?.getLayer('hits')) paintActive(map, activeId)
  }, [map, activeId])

  return (
    <div className="map-frame">
      <div ref={container} className="map" data-ready={map !== null || undefined} />
      {archive === null && <p className="map-note">No boundaries have been built yet.</p>}
      {error !== null && <p className="map-note">The boundaries cannot be read now.</p>}
    </div>
  )
}

type Latest = Required<Pick<ParcelMapProps, 'boundary' | 'hits' | 'activeId'>> & {
  onActive: ParcelMapProps['onActive']
  onPick: ParcelMapProps['onPick']
}

const fill = (map: maplibregl.Map, { hits, boundary, activeId }: Latest): void => {
  const points = map.getSource<maplibregl.GeoJSONSource>('hits')
  points?.setData({
    type: 'FeatureCollection',
    features: hits.map(({ lon, lat, ...properties }) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [lon, lat] },
    })),
  })
  map.getSource<maplibregl.GeoJSONSource>('boundary')?.setData({
    type: 'FeatureCollection',
    features: boundary === null ? [] : [{ type: 'Feature', properties: {}, geometry: boundary }],
  })
  if (map.getLayer('hits')) paintActive(map, activeId)
  const ids = hits.map(({ source, source_parcel_id }) => `${source}/${source_parcel_id}`)
  if (map.getLayer('parcel-hits')) {
    map.setFilter('parcel-hits', [
      'in',
      ['concat', ['get', 'source'], '/', ['get', 'source_parcel_id']],
      ['literal', ids],
    ])
  }
}

const paintActive = (map: maplibregl.Map, activeId: string | null): void => {
  map.setPaintProperty('hits', 'circle-radius', ['case', ['==', ['get', 'id'], activeId ?? ''], 9, 6])
  map.setPaintProperty('hits', 'circle-stroke-width', ['case', ['==', ['get', 'id'], activeId ?? ''], 3, 1.5])
}

const listen = (map: maplibregl.Map, latest: { current: Latest }): void => {
  const popup = new maplibregl.Popup({ closeButton: false, closeOnClick: false, className: 'map-popup', offset: 12 })
  const show = (at: maplibregl.LngLat, text: string) => popup.setLngLat(at).setText(text).addTo(map)
  map.on('mousemove', (event) => {
    const layers = ['hits', 'parcels'].filter((layer) => map.getLayer(layer))
    const [feature] = map.queryRenderedFeatures(event.point, { layers })
    map.getCanvas().style.cursor = feature === undefined || !latest.current.onPick ? '' : 'pointer'
    if (feature === undefined) {
      popup.remove()
      return
    }
    show(event.lngLat, featureLabel(feature.properties))
    if (feature.layer.id === 'hits') latest.current.onActive?.(String(feature.properties.id))
  })
  map.on('mouseout', () => popup.remove())
  map.on('click', ({ point }) => {
    const layers = ['hits', 'parcels'].filter((layer) => map.getLayer(layer))
    const [feature] = map.queryRenderedFeatures(point, { layers })
    if (feature === undefined) return
    const { source, source_parcel_id } = feature.properties
    latest.current.onPick?.({ source: String(source), source_parcel_id: String(source_parcel_id) })
  })
}

/** Of the boundary, if there is one, else of the hits. */
const pointsOf = (hits: readonly MapHit[], boundary: MultiPolygon | null): [lon: number, lat: number][] =>
  boundary
    ? (boundary.coordinates.flat(2) as [number, number][])
    : hits.map(({ lon, lat }): [number, number] => [lon, lat])
