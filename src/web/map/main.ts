import * as maplibregl from 'maplibre-gl'
import { Refusal } from '../app/api'
import { type Archive, openArchive } from '../app/map/archive'
import { boundsOf } from '../app/map/bounds'
import { PARCELS } from '../app/map/parcel-layers'
import type { ParcelName } from '../app/map/parcel-map'
import { findAccount } from '../app/session/account-api'
import { keepKey, readKey } from '../app/session/key'
import { listenToTheme, readTheme } from '../app/shell/theme'
import { getParcel, type Parcel } from './api'
import { hideDetails, showMessage, showParcel } from './details'
import { byId, element } from './element'
import { createParcelLabel, type TileParcel } from './parcel-label'
import { createSearchBox } from './search-box'
import { mapStyle } from './style'

const NO_TILES = 'There are no tiles yet. Build them with'

const note = (...parts: (Node | string)[]): void => {
  const line = byId('note')
  line.replaceChildren(...parts)
  line.hidden = parts.length === 0
}

const openKeyForm = (open: boolean): void => {
  byId('key-form').hidden = !open
  byId('key-button').setAttribute('aria-expanded', String(open))
  if (open) byId('key').focus()
}

/** A refusal for want of a key brings up the field for it; anything else is told. */
const tell = (trouble: Error | null): void => {
  if (trouble instanceof Refusal && trouble.status === 401) {
    note(readKey() === null ? 'Enter your key, or sign in, to search and to see a parcel.' : 'This key is not valid.')
    openKeyForm(true)
  } else if (trouble === null) note()
  else note(trouble.message)
}

/** Pixels at the map's edges that the page's panels cover, and some air. */
const freeSpace = (withDetails: boolean): maplibregl.PaddingOptions => {
  const { clientWidth, clientHeight } = byId('map')
  if (matchMedia('(max-width: 640px)').matches) {
    return { top: 150, left: 40, right: 40, bottom: withDetails ? Math.round(clientHeight * 0.5) : 120 }
  }
  const side = clientWidth < 1000 ? 40 : 420
  // Of what is chosen the neighbours are seen, too.
  const air = withDetails ? 150 : 64
  return { top: air, bottom: air, left: side, right: withDetails ? side : 40 }
}

const startMap = ({ key, bounds, minZoom }: Archive): void => {
  const style = () => mapStyle(key, readTheme())
  const label = createParcelLabel()
  const map = new maplibregl.Map({
    container: 'map',
    style: style(),
    bounds,
    fitBoundsOptions: { padding: freeSpace(false) },
    minZoom: minZoom - 1,
    maxZoom: 20,
    attributionControl: { compact: true },
  })
  map.addControl(new maplibregl.NavigationControl({ visualizePitch: false }), 'bottom-right')
  map.addControl(new maplibregl.ScaleControl({ unit: 'imperial' }), 'bottom-left')
  listenToTheme(() => map.setStyle(style()))

  let hovered: string | number | null = null
  let chosen: string | number | null = null
  const setState = (id: string | number | null, state: Record<string, boolean>) => {
    if (id !== null) map.setFeatureState({ source: PARCELS.source, sourceLayer: PARCELS['source-layer'], id }, state)
  }
  const hover = (id: string | number | null) => {
    if (id === hovered) return
    setState(hovered, { hover: false })
    hovered = id
    setState(hovered, { hover: true })
    map.getCanvas().style.cursor = id === null ? '' : 'pointer'
  }
  const choose = (id: string | number | null) => {
    setState(chosen, { chosen: false })
    chosen = id
    setState(chosen, { chosen: true })
    // Like data-ready: what is drawn is drawn on a canvas, which tells nobody.
    if (id === null) delete document.documentElement.dataset.chosen
    else document.documentElement.dataset.chosen = String(id)
  }
  const featureAt = (point: maplibregl.Point) => map.queryRenderedFeatures(point, { layers: ['parcels'] })[0]
  const unchoose = () => choose(null)

  const show = async (name: ParcelName): Promise<Parcel | null> => {
    try {
      const parcel = await getParcel(name)
      showParcel(parcel, unchoose)
      return parcel
    } catch (error) {
      tell(error instanceof Error ? error : null)
      const unkeyed = error instanceof Refusal && error.status === 401
      showMessage(name.source_parcel_id, unkeyed ? 'Details need a key.' : 'There are no details.', unchoose)
      return null
    }
  }

  const rest = (feature: maplibregl.MapGeoJSONFeature | undefined, point: maplibregl.Point) => {
    hover(feature?.id ?? null)
    // Of the chosen one the details tell more.
    if (feature === undefined || feature.id === chosen) label.leave()
    else label.rest(feature.properties as TileParcel, point)
  }
  const pick = (feature: maplibregl.MapGeoJSONFeature | undefined) => {
    label.leave()
    choose(feature?.id ?? null)
    if (feature === undefined) return hideDetails()
    const { source, source_parcel_id } = feature.properties as ParcelName
    void show({ source, source_parcel_id })
  }

  // A finger does not rest on a parcel: it picks it.
  if (matchMedia('(hover: hover)').matches) {
    map.on('mousemove', 'parcels', ({ features, point }) => rest(features?.[0], point))
    map.on('mouseleave', 'parcels', ({ point }) => rest(undefined, point))
  }
  map.on('movestart', label.leave)
  map.on('click', ({ point }) => pick(featureAt(point)))

  // With the keyboard the map's middle is what points: arrows move the map below it, Enter picks.
  const canvas = map.getCanvas()
  const middle = () => map.project(map.getCenter())
  const restInMiddle = () => {
    if (canvas.matches(':focus-visible')) rest(featureAt(middle()), middle())
  }
  canvas.addEventListener('focus', restInMiddle)
  map.on('moveend', restInMiddle)
  canvas.addEventListener('blur', () => rest(undefined, middle()))
  canvas.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') pick(featureAt(middle()))
  })

  createSearchBox({
    onTrouble: tell,
    onPick: async (hit) => {
      const parcel = await show(hit)
      const bounds = boundsOf((parcel?.geom_geojson?.coordinates.flat(2) ?? []) as [number, number][])
      if (bounds === null) return note('This parcel has no boundary to show.')
      note()
      map.fitBounds(bounds, { padding: freeSpace(true), maxZoom: 17 })
      await map.once('idle')
      choose(featureAt(map.project(bounds.getCenter()))?.id ?? null)
    },
  })
}

byId('key-button').addEventListener('click', () => openKeyForm(byId('key-form').hidden !== false))
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault()
  keepKey(byId<HTMLInputElement>('key').value.trim())
  openKeyForm(false)
  note()
  byId('query').focus()
})
byId<HTMLInputElement>('key').value = readKey() ?? ''

const isSignedIn = () =>
  findAccount().then(
    (account) => account !== null,
    // It cannot be told just now: the first refusal asks for a key.
    () => true,
  )
/** Who is signed in needs no key. */
const canRead = async (): Promise<boolean> => readKey() !== null || isSignedIn()

const [archive, isReader] = await Promise.all([openArchive(), canRead()])
if (archive === null) {
  byId('search').hidden = true
  note(NO_TILES, ' ', element('code', {}, 'bun run tiles:build'), ', then load this page again.')
} else {
  if (!isReader) openKeyForm(true)
  startMap(archive)
}
// Tests and people's consoles can ask how far the page is.
document.documentElement.dataset.ready = 'true'
