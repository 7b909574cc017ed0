import type * as maplibregl from 'maplibre-gl'
import type { Bbox } from '../../../../../../core/geometry/bbox'
import type { Drawing } from '../drawing/draw'
import type { MapParcel, ParcelName } from '../map-parcel'
import { COUNTY_LAYERS, UNPLACED_COUNTIES } from '../style/county-layers'
import { PARCEL_LAYERS, PARCELS } from '../style/parcel-layers'

const COUNTIES = [...COUNTY_LAYERS, UNPLACED_COUNTIES]

/** A parcel on the map, and the pointer's position in the map's element. */
export interface Pointed {
  parcel: MapParcel
  /** Of the hit, if it is one. */
  hitId: string | null
  x: number
  y: number
}

interface Listeners {
  onPoint: (pointed: Pointed | null) => void
  onPick: (parcel: ParcelName | null) => void
  /** Called with the box of a county that is picked, at zooms that show counties. */
  onPickCounty: (bbox: Bbox) => void
  /** Null: nothing is being drawn. While something is, clicks are for the drawing, and Enter adds a corner in the middle. */
  getDrawing: () => Pick<Drawing, 'addMiddle'> | null
}

/**
 * Reports the parcel under the mouse, and the parcel or county that is clicked or tapped. While the map has the keyboard focus, its middle is
 * the pointer: the arrow keys move the map, and Enter picks.
 */
export const listenToPointer = (
  map: maplibregl.Map,
  { onPoint, onPick, onPickCounty, getDrawing }: Listeners,
): void => {
  const canvas = map.getCanvas()
  let hovered: string | number | undefined
  const setHover = (hover: boolean) => {
    if (hovered === undefined || !map.getSource(PARCELS.source)) return
    map.setFeatureState({ source: PARCELS.source, sourceLayer: PARCELS['source-layer'], id: hovered }, { hover })
  }
  const featureAt = (point: maplibregl.Point): maplibregl.MapGeoJSONFeature | undefined => {
    const layers = ['hits', ...COUNTIES, ...PARCEL_LAYERS].filter((layer) => map.getLayer(layer))
    return map.queryRenderedFeatures(point, { layers })[0]
  }
  const point = (feature: maplibregl.MapGeoJSONFeature | undefined, { x, y }: maplibregl.Point) => {
    if (getDrawing() !== null) return onPoint(null)
    const id = feature !== undefined && PARCEL_LAYERS.includes(feature.layer.id) ? feature.id : undefined
    canvas.style.cursor = feature === undefined ? '' : 'pointer'
    if (id !== hovered) {
      setHover(false)
      hovered = id
      setHover(true)
    }
    if (feature === undefined || COUNTIES.includes(feature.layer.id)) return onPoint(null)
    const hitId = feature.layer.id === 'hits' ? String(feature.properties.id) : null
    onPoint({ parcel: feature.properties as MapParcel, hitId, x, y })
  }
  const pick = (feature: maplibregl.MapGeoJSONFeature | undefined) => {
    onPoint(null)
    if (getDrawing() !== null) return
    if (feature === undefined) return onPick(null)
    if (COUNTIES.includes(feature.layer.id)) {
      const { west, south, east, north } = feature.properties as Record<'west' | 'south' | 'east' | 'north', number>
      return onPickCounty([west, south, east, north])
    }
    const { source, source_parcel_id } = feature.properties as ParcelName
    onPick({ source, source_parcel_id })
  }
  const middle = () => map.project(map.getCenter())

  // Touch has no hover: a tap picks.
  if (matchMedia('(hover: hover)').matches) {
    map.on('mousemove', (event) => point(featureAt(event.point), event.point))
    map.on('mouseout', (event) => point(undefined, event.point))
  }
  map.on('movestart', () => onPoint(null))
  map.on('click', (event) => pick(featureAt(event.point)))

  const pointAtMiddle = () => {
    if (canvas.matches(':focus-visible')) point(featureAt(middle()), middle())
  }
  canvas.addEventListener('focus', pointAtMiddle)
  map.on('moveend', pointAtMiddle)
  canvas.addEventListener('blur', () => point(undefined, middle()))
  canvas.addEventListener('keydown', ({ key }) => {
    if (key !== 'Enter') return
    const drawing = getDrawing()
    if (drawing === null) pick(featureAt(middle()))
    else drawing.addMiddle()
  })
}
