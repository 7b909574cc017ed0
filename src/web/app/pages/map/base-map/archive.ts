import * as maplibregl from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs' with { type: 'file' }
import { PMTiles, Protocol } from 'pmtiles'
import type { Bbox } from '../../../../../../core/geometry/bbox'
import { api, ask, isNotFound } from '../../../api/api'

// The page's policy allows no workers from strings, so MapLibre's worker is a separate file.
maplibregl.setWorkerUrl(workerUrl)
const protocol = new Protocol({ metadata: true })
maplibregl.addProtocol('pmtiles', protocol.tile)

/** Lets MapLibre read the archive as `pmtiles://` and the returned key. */
export const registerArchive = (archive: PMTiles): string => {
  protocol.add(archive)
  return archive.source.getKey()
}

export interface Archive {
  /** MapLibre reads it as `pmtiles://` and this. */
  key: string
  /** The box of all parcels. */
  bounds: Bbox
  /** The lowest zoom that draws parcels. */
  parcelsMinZoom: number
  /** Whether the zooms below show counties, and how many parcels are where (tiles-build/overview). */
  hasOverview: boolean
}

interface Metadata {
  vector_layers: { id: string; minzoom: number }[]
  parcel_bounds?: Bbox
}

/**
 * The published archive of parcel boundaries, registered with MapLibre. Null: none has been built yet.
 *
 * @throws Refusal
 */
export const openArchive = async (signal?: AbortSignal): Promise<Archive | null> => {
  try {
    // The browser's copy may name a former archive.
    const { parcels } = await ask(
      api.tiles['manifest.json'].get({ fetch: { cache: 'no-cache', ...(signal && { signal }) } }),
    )
    // By path, because the page may have been opened by another host name than BASE_URL.
    const archive = new PMTiles(`${location.origin}${new URL(parcels.url).pathname}`)
    const key = registerArchive(archive)
    const { minLon, minLat, maxLon, maxLat, minZoom } = await archive.getHeader()
    const { vector_layers: layers, parcel_bounds: bounds } = (await archive.getMetadata()) as Metadata
    return {
      key,
      bounds: bounds ?? [minLon, minLat, maxLon, maxLat],
      parcelsMinZoom: layers.find(({ id }) => id === 'parcels')?.minzoom ?? minZoom,
      hasOverview: layers.some(({ id }) => id === 'counties'),
    }
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}
