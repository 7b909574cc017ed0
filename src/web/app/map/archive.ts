import * as maplibregl from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs' with { type: 'file' }
import { PMTiles, Protocol } from 'pmtiles'
import { api, ask, Refusal } from '../api/api'

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
  bounds: [west: number, south: number, east: number, north: number]
  minZoom: number
}

/**
 * The published archive of parcel boundaries, registered with MapLibre. Null: none has been built yet.
 *
 * @throws Refusal
 */
export const openArchive = async (signal?: AbortSignal): Promise<Archive | null> => {
  try {
    const { parcels } = await ask(api.tiles['manifest.json'].get({ fetch: signal ? { signal } : {} }))
    // By path, because the page may have been opened by another host name than BASE_URL.
    const archive = new PMTiles(`${location.origin}${new URL(parcels.url).pathname}`)
    const key = registerArchive(archive)
    const { minLon, minLat, maxLon, maxLat, minZoom } = await archive.getHeader()
    return { key, bounds: [minLon, minLat, maxLon, maxLat], minZoom }
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}
