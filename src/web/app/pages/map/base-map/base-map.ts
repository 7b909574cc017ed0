import { useQuery } from '@tanstack/react-query'
import type { LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl'
import { PMTiles, TileType } from 'pmtiles'
import type { Theme } from '../../../shell/theme'
import { registerArchive } from './archive'

/** What is drawn below the parcels. */
export interface BaseMap {
  sources: Record<string, SourceSpecification>
  /** Layers of an operator's style are the same in both themes. */
  layersOf: (theme: Theme) => LayerSpecification[]
  sprite?: StyleSpecification['sprite']
}

const PREFIX = 'base-'
const SOURCE = `${PREFIX}map`

/** The operator's base map (BASEMAP_URL): the page names it. Null: there is none. */
const readBaseMapUrl = (): string | null =>
  document.querySelector('meta[name="base-map"]')?.getAttribute('content') || null

/**
 * A style of MapLibre, or a PMTiles archive with pictures or with the layers of Protomaps.
 *
 * @throws Error if it cannot be loaded
 */
const loadBaseMap = async (address: string, signal: AbortSignal): Promise<BaseMap> => {
  const url = new URL(address, location.origin).href
  if (/\.pmtiles$/i.test(new URL(url).pathname)) return openBaseArchive(url)
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(`the base map cannot be loaded: ${response.status}`)
  return toBaseMap((await response.json()) as StyleSpecification)
}

const openBaseArchive = async (url: string): Promise<BaseMap> => {
  const archive = new PMTiles(url)
  const source = `pmtiles://${registerArchive(archive)}`
  const { tileType } = await archive.getHeader()
  return tileType === TileType.Mvt
    ? { sources: { [SOURCE]: { type: 'vector', url: source } }, layersOf: protomapsLayers }
    : {
        sources: { [SOURCE]: { type: 'raster', url: source, tileSize: 256 } },
        layersOf: () => [{ id: SOURCE, type: 'raster', source: SOURCE }],
      }
}

/** Names that the map's own sources and layers do not have. Its labels use the computer's fonts, like the map's own. */
export const toBaseMap = ({ sources, layers, sprite }: StyleSpecification): BaseMap => ({
  sources: Object.fromEntries(Object.entries(sources).map(([name, source]) => [PREFIX + name, source])),
  layersOf: () =>
    layers.map((layer) => ({
      ...layer,
      id: PREFIX + layer.id,
      ...('source' in layer && layer.source !== undefined ? { source: PREFIX + layer.source } : {}),
    })) as LayerSpecification[],
  ...(sprite === undefined ? {} : { sprite }),
})

const inLayer = (name: string) => ({ source: SOURCE, 'source-layer': name })
const FONT = { 'text-font': ['Noto Sans', 'sans-serif'], 'text-size': 12 }
const GRAY = '#8a9591'

const TEXT_COLORS = {
  light: { 'text-color': '#4f5a56', 'text-halo-color': '#ffffffcc', 'text-halo-width': 1.4 },
  dark: { 'text-color': '#c3ccc8', 'text-halo-color': '#0b1512cc', 'text-halo-width': 1.4 },
}

/** The main layers of Protomaps, in grays that suit both themes. */
const protomapsLayers = (theme: Theme): LayerSpecification[] => [
  {
    id: 'base-water',
    type: 'fill',
    ...inLayer('water'),
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': '#5f9fb5', 'fill-opacity': 0.4 },
  },
  {
    id: 'base-streams',
    type: 'line',
    ...inLayer('water'),
    filter: ['==', ['geometry-type'], 'LineString'],
    paint: { 'line-color': '#5f9fb5', 'line-opacity': 0.6 },
  },
  {
    id: 'base-roads',
    type: 'line',
    ...inLayer('roads'),
    paint: {
      'line-color': GRAY,
      'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 8, 0.4, 14, 1.6, 18, 8],
    },
  },
  {
    id: 'base-road-names',
    type: 'symbol',
    ...inLayer('roads'),
    minzoom: 14,
    layout: { ...FONT, 'symbol-placement': 'line', 'text-field': ['get', 'name'] },
    paint: TEXT_COLORS[theme],
  },
  {
    id: 'base-places',
    type: 'symbol',
    ...inLayer('places'),
    layout: { ...FONT, 'text-field': ['get', 'name'] },
    paint: TEXT_COLORS[theme],
  },
]

/** Null: there is none. */
export const useBaseMap = () => {
  const url = readBaseMapUrl()
  return useQuery({
    queryKey: ['base-map', url],
    queryFn: ({ signal }) => (url === null ? null : loadBaseMap(url, signal)),
    staleTime: Number.POSITIVE_INFINITY,
    // The map works without it, and another host serves it.
    retry: false,
    refetchInterval: false,
  })
}
