import { readFileSync } from 'node:fs'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { PMTiles, SharedPromiseCache, type Source, tileIdToZxy } from 'pmtiles'

/** A feature of a tile; its rings in world units at the tile's zoom, without the closing point. */
export interface DrawnParcel {
  z: number
  x: number
  y: number
  featureId: number
  properties: Record<string, string | number | boolean>
  rings: [number, number][][]
}

const memorySource = (bytes: Uint8Array): Source => ({
  getKey: () => 'archive',
  getBytes: async (offset, length) => ({ data: bytes.slice(offset, offset + length).buffer as ArrayBuffer }),
})

/** Everything in an archive, read with the libraries that maps use. */
export const readArchive = async (path: string) => {
  const source = memorySource(new Uint8Array(readFileSync(path)))
  const cache = new SharedPromiseCache()
  const archive = new PMTiles(source, cache)
  const header = await archive.getHeader()
  const tileIds: number[] = []
  const walk = async (offset: number, length: number): Promise<void> => {
    for (const entry of await cache.getDirectory(source, offset, length, header)) {
      if (entry.runLength === 0) await walk(header.leafDirectoryOffset + entry.offset, entry.length)
      for (let step = 0; step < entry.runLength; step++) tileIds.push(entry.tileId + step)
    }
  }
  await walk(header.rootDirectoryOffset, header.rootDirectoryLength)

  const readTile = async (z: number, x: number, y: number) => {
    const tile = await archive.getZxy(z, x, y)
    if (tile === undefined) throw new Error(`no tile ${z}/${x}/${y}`)
    return new VectorTile(new PbfReader(new Uint8Array(tile.data)))
  }
  const tilesOf = (zoom: number) => tileIds.map(tileIdToZxy).filter(([z]) => z === zoom)

  /** The names of the layers of a zoom, sorted. */
  const listLayers = async (zoom: number): Promise<string[]> => {
    const names = new Set<string>()
    for (const tile of tilesOf(zoom)) for (const name of Object.keys((await readTile(...tile)).layers)) names.add(name)
    return [...names].sort()
  }

  /** The points of a layer, in degrees. */
  const listPoints = async (zoom: number, layer: string) => {
    const points: { properties: DrawnParcel['properties']; lon: number; lat: number }[] = []
    for (const [z, x, y] of tilesOf(zoom)) {
      const found = (await readTile(z, x, y)).layers[layer]
      for (let index = 0; found !== undefined && index < found.length; index++) {
        const { properties, geometry } = found.feature(index).toGeoJSON(x, y, z)
        const [lon = 0, lat = 0] = geometry.type === 'Point' ? geometry.coordinates : []
        points.push({ properties: properties as DrawnParcel['properties'], lon, lat })
      }
    }
    return points
  }

  const readParcels = async (zoom: number): Promise<DrawnParcel[]> => {
    const parcels: DrawnParcel[] = []
    for (const [z, x, y] of tilesOf(zoom)) {
      const layer = Object.values((await readTile(z, x, y)).layers)[0]
      for (let index = 0; layer !== undefined && index < layer.length; index++) {
        const feature = layer.feature(index)
        const rings = feature
          .loadGeometry()
          .map((ring) => ring.slice(0, -1).map((point): [number, number] => [x * 4096 + point.x, y * 4096 + point.y]))
        parcels.push({ ...{ z, x, y, rings }, featureId: feature.id ?? -1, properties: feature.properties })
      }
    }
    return parcels
  }
  const byZoom = new Map<number, Promise<DrawnParcel[]>>()
  /** Reads each zoom once. Do not change what it returns. */
  const listParcels = (zoom: number): Promise<DrawnParcel[]> => {
    const parcels = byZoom.get(zoom) ?? readParcels(zoom)
    byZoom.set(zoom, parcels)
    return parcels
  }
  return { header, metadata: await archive.getMetadata(), tileIds, listParcels, listLayers, listPoints }
}
