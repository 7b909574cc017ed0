import { useQuery } from '@tanstack/react-query'
import type * as maplibregl from 'maplibre-gl'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { repeatFailed } from '../../../api/queries'
import { useTheme } from '../../../shell/theme'
import { openArchive } from '../base-map/archive'
import { useBaseMap } from '../base-map/base-map'
import { forgetStreets, nameStreets } from '../base-map/name-streets'
import type { Drawing } from '../drawing/draw'
import type { ParcelName } from '../map-parcel'
import { filterCounties } from '../style/county-layers'
import { createMapStyle } from '../style/map-style'
import { PARCEL_LAYERS } from '../style/parcel-layers'
import { closeMap, openMap, type View, viewOf } from './open-map'
import { listenToPointer, type Pointed } from './pointer'
import { fillArea, fillOutlines, fillResults, type Shown } from './shown'
import { flyTo, shows } from './view'

/** The latest props of the map, for event handlers, which outlive a rendering. */
export interface LatestProps extends Shown {
  isFollowing: boolean
  isInAddress: boolean
  onActive: ((id: string | null) => void) | undefined
  onPick: ((name: ParcelName | null) => void) | undefined
}

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

interface Options {
  latest: RefObject<LatestProps>
  drawing: RefObject<Drawing | null>
  hasHits: boolean
}

/**
 * Opens a map in `container` once the archive and the base map are known, and opens it again when one of them changes. Reports what the map
 * shows and what the pointer is on. `map` is null until its style is loaded.
 */
export const useOpenMap = (container: RefObject<HTMLDivElement | null>, { latest, drawing, hasHits }: Options) => {
  const [map, setMap] = useState<maplibregl.Map | null>(null)
  const [pointed, setPointed] = useState<Pointed | null>(null)
  /** The map, if it shows no parcel. A new object each time the map stops moving, so that the note about its position is updated. */
  const [empty, setEmpty] = useState<{ map: maplibregl.Map } | null>(null)
  /** Whether the zoom is so low that the borders of states and counties are shown. */
  const [isLow, setLow] = useState(false)
  const theme = useTheme()
  const { data: archive, error } = useArchive(empty !== null && hasHits)
  const { data: baseMap = null, isPending: isBaseMapPending } = useBaseMap()
  const isKnown = (archive !== undefined || error !== null) && !isBaseMapPending
  // The theme of an open map is changed in place.
  const shownTheme = useRef(theme)
  /** Where the map was when a newer archive replaced it. */
  const formerView = useRef<View | null>(null)

  useEffect(() => {
    const element = container.current
    if (!isKnown || element === null) return
    const path = location.pathname
    const made = openMap(element, {
      archive: archive ?? null,
      baseMap,
      theme: shownTheme.current,
      view: formerView.current,
      isInAddress: latest.current.isInAddress,
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
  }, [container, latest, drawing, isKnown, archive, baseMap])

  useEffect(() => {
    if (map === null || shownTheme.current === theme) return
    shownTheme.current = theme
    map.setStyle(createMapStyle(archive ?? null, theme, baseMap), { diff: false })
  }, [map, theme, archive, baseMap])

  return { map, pointed, empty, isLow, theme, archive, error }
}
