import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GeoJSONVT } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { Feature } from 'geojson'
import type { Browser } from 'playwright-core'
import { zxyToTileId } from 'pmtiles'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { writeArchive } from '../../../tiles-build/archive/archive'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../../tiles-build/build'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { findChromium, launchChromium } from '../browser/chromium'
import { closePage, createOpener } from '../browser/open-page'
import { photograph } from '../browser/photograph'
import { colorAt } from './color-at'

setDefaultTimeout(TEST_TIMEOUT_MS)

const chromium = findChromium()
const ATTRIBUTION = '© Larkspur Surveyors'
const MAX_ZOOM = 12
const EXTENT = 4_096
/** A lake west of the sample county, and a road and a town in it. */
const [LAKE_LON, LAKE_LAT] = [-121.5, 44]
const RING = [
  [LAKE_LON - 0.05, LAKE_LAT - 0.05],
  [LAKE_LON + 0.05, LAKE_LAT - 0.05],
  [LAKE_LON + 0.05, LAKE_LAT + 0.05],
  [LAKE_LON - 0.05, LAKE_LAT + 0.05],
  [LAKE_LON - 0.05, LAKE_LAT - 0.05],
]
const LAYERS: Record<string, Feature> = {
  water: { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [RING] } },
  roads: {
    type: 'Feature',
    properties: { name: 'Shore Road' },
    geometry: {
      type: 'LineString',
      coordinates: [
        [LAKE_LON - 0.2, LAKE_LAT + 0.08],
        [LAKE_LON + 0.2, LAKE_LAT + 0.08],
      ],
    },
  },
  places: {
    type: 'Feature',
    properties: { name: 'Laketown' },
    geometry: { type: 'Point', coordinates: [LAKE_LON + 0.1, LAKE_LAT] },
  },
}

/** Writes a base map with layers of Protomaps, as a PMTiles archive. */
const writeBaseMap = async (folder: string): Promise<string> => {
  const indexes = Object.entries(LAYERS).map(
    ([name, feature]) =>
      [
        name,
        new GeoJSONVT({ type: 'FeatureCollection', features: [feature] }, { maxZoom: MAX_ZOOM, extent: EXTENT }),
      ] as const,
  )
  const tiles: { id: number; bytes: Uint8Array }[] = []
  for (let z = 0; z <= MAX_ZOOM; z++) {
    const columnOf = (lon: number) => Math.floor(((lon + 180) / 360) * 2 ** z)
    const rowOf = (lat: number) =>
      Math.floor(((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * 2 ** z)
    for (let x = columnOf(LAKE_LON - 0.2); x <= columnOf(LAKE_LON + 0.2); x++) {
      for (let y = rowOf(LAKE_LAT + 0.2); y <= rowOf(LAKE_LAT - 0.2); y++) {
        const found = indexes.flatMap(([name, index]) => {
          const tile = index.getTile(z, x, y)
          return tile === null ? [] : [[name, tile] as const]
        })
        if (found.length === 0) continue
        const bytes = Bun.gzipSync(
          fromGeojsonVt(Object.fromEntries(found), { version: 2, extent: EXTENT }) as Uint8Array<ArrayBuffer>,
        )
        tiles.push({ id: zxyToTileId(z, x, y), bytes })
      }
    }
  }
  tiles.sort((one, other) => one.id - other.id)
  const [tilesFile, path] = [join(folder, 'tiles'), join(folder, 'base.pmtiles')]
  writeFileSync(tilesFile, Buffer.concat(tiles.map(({ bytes }) => bytes)))
  const run = {
    ...{ file: 0, offsetBytes: 0 },
    tileIds: Float64Array.from(tiles, ({ id }) => id),
    lengths: Uint32Array.from(tiles, ({ bytes }) => bytes.length),
    hashes: BigUint64Array.from(tiles.flatMap(({ bytes }) => [0n, BigInt(Bun.hash(bytes))])),
  }
  const bounds: [number, number, number, number] = [LAKE_LON - 0.2, LAKE_LAT - 0.2, LAKE_LON + 0.2, LAKE_LAT + 0.2]
  const metadata = { attribution: ATTRIBUTION, vector_layers: Object.keys(LAYERS).map((id) => ({ id, fields: {} })) }
  writeArchive(path, [tilesFile], [run], { minZoom: 0, maxZoom: MAX_ZOOM, bounds, metadata })
  return path
}

const STYLE = {
  version: 8,
  sources: { lake: { type: 'geojson', data: LAYERS.water, attribution: ATTRIBUTION } },
  layers: [{ id: 'lake', type: 'fill', source: 'lake', paint: { 'fill-color': '#2266cc' } }],
}

describe.skipIf(chromium === null)("an operator's own base map", async () => {
  const browser = (chromium === null ? null : await launchChromium(chromium)) as Browser
  const folder = mkdtempSync(join(tmpdir(), 'base-map-'))
  const archive = await writeBaseMap(folder)
  // On another origin, as an operator's server is.
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag' }
      if (pathname === '/style.json') return Response.json(STYLE, { headers })
      if (pathname !== '/base.pmtiles') return new Response(null, { status: 404, headers })
      const [, first = '0', last = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.get('range') ?? '') ?? []
      const bytes = await Bun.file(archive)
        .slice(Number(first), Number(last) + 1)
        .bytes()
      return new Response(bytes, { status: 206, headers })
    },
  })
  afterAll(async () => {
    await server.stop(true)
    rmSync(folder, { recursive: true, force: true })
  })

  for (const file of ['base.pmtiles', 'style.json']) {
    test(`${file} is drawn below the parcels in both themes, with its attribution`, async () => {
      const { app, sql, url, tileStore } = await createTestApp({ basemapUrl: `${server.url}${file}` })
      await seedSampleCounty(sql, { parcels: 20, entities: 0 })
      await buildTiles(DEFAULT_TILE_OPTIONS, { databaseUrl: url, to: tileStore, workDir: folder, threads: 1 })
      app.listen({ port: 0, hostname: '127.0.0.1' })
      const open = createOpener(browser, `http://127.0.0.1:${app.server?.port}`, { key: ADMIN_KEY, width: 1100 })
      for (const theme of ['light', 'dark'] as const) {
        const { page, complaints } = await open(`/map#11/${LAKE_LAT}/${LAKE_LON}`, { theme })
        await page.waitForSelector('.map[data-view=idle]')
        await page.waitForSelector(`.maplibregl-ctrl-attrib:has-text("${ATTRIBUTION}")`)
        await page.waitForSelector('.maplibregl-ctrl-attrib:has-text("Parcels: county assessors")')
        const [red = 0, , blue = 0] = await colorAt(page, 0, 0)
        // Water is clearly blue, and land is not.
        expect(blue - red).toBeGreaterThan(20)
        const [landRed = 0, , landBlue = 0] = await colorAt(page, -250, 150)
        expect(landBlue - landRed).toBeLessThan(15)
        expect(complaints.filter((complaint) => !complaint.startsWith(String(server.url)))).toEqual([])
        if (theme === 'light') await photograph(page, `base-map-${file}`)
        await closePage(page)
      }
      await app.stop(true)
    })
  }
})
