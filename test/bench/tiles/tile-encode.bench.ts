import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { tileIdToZxy, zxyToTileId } from 'pmtiles'
import { sampleParcels } from '../../../dev/sample-county/county'
import { createSpill } from '../../../tiles-build/archive/spill'
import { type BucketChunk, readBucket } from '../../../tiles-build/encode/bucket'
import { makeTiles } from '../../../tiles-build/encode/make-tiles'
import { latToY, lonToX } from '../../../tiles-build/encode/project'
import { bucketTile, setTileRange } from '../../../tiles-build/encode/tile-math'
import { createGeometryBox } from '../../../tiles-build/read/parse-geometry'
import { createRecordWriter } from '../../../tiles-build/read/read-parcels'
import { atLeast, report } from '../report'

/*
 * `bun run bench tile-encode`: encodes rows, as the database sends them, to uncompressed vector tiles of zoom 12 to 15. It compares the
 * stages of tiles-build with @maplibre/geojson-vt and @maplibre/vt-pbf (tile-encode-rival.ts), in turns, on one thread, with a new
 * process for each round. First it checks that both draw the same parcels: at the highest zoom within one unit, at lower zooms with at
 * most one difference in a thousand.
 */
export const [MIN_ZOOM, MAX_ZOOM] = [12, 15]
export const PROPERTIES = ['source', 'source_parcel_id', 'situs_address', 'owner_name'] as const

/** A row in the database's text form. */
export interface TileRow {
  geometry: Uint8Array
  bbox: readonly number[]
  properties: (Uint8Array | null)[]
}

export type EncodeTiles = (rows: readonly TileRow[], emit: (tileId: number, tile: Uint8Array) => void) => void

/** The tiles of a zoom that some row's box touches. */
export const tilesOf = (rows: readonly TileRow[], z: number): [x: number, y: number][] => {
  const found = new Map<number, [number, number]>()
  const range = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  for (const { bbox } of rows) {
    const [west, south, east, north] = bbox as [number, number, number, number]
    setTileRange(range, z, lonToX(west), latToY(north), lonToX(east), latToY(south))
    for (let x = range.minX; x <= range.maxX; x++) {
      for (let y = range.minY; y <= range.maxY; y++) found.set(zxyToTileId(z, x, y), [x, y])
    }
  }
  return [...found.values()]
}

const makeRows = (parcels: number): TileRow[] => {
  const encoder = new TextEncoder()
  const encode = (text: string | null | undefined) => (text == null ? null : encoder.encode(text))
  return Array.from(sampleParcels({ parcels }), (parcel) => {
    const { sourceParcelId, situsAddress, ownerName, geom, bbox } = parcel
    return {
      geometry: encoder.encode(JSON.stringify(geom)),
      bbox: bbox ?? [],
      properties: ['sample-county', sourceParcelId, situsAddress, ownerName].map(encode),
    }
  })
}

const encodeWithStages: EncodeTiles = (rows, emit) => {
  const dir = mkdtempSync(join(tmpdir(), 'tile-encode-'))
  try {
    const path = join(dir, 'parcels')
    const spill = createSpill(path)
    const writeRecord = createRecordWriter(PROPERTIES)
    const box = createGeometryBox()
    const range = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
    for (const { geometry, properties } of rows) {
      const record = writeRecord(geometry, properties, box)
      if (record === null) throw new Error('a sample parcel has no position')
      setTileRange(range, MIN_ZOOM, box.minX, box.minY, box.maxX, box.maxY)
      for (let x = range.minX; x <= range.maxX; x++) {
        for (let y = range.minY; y <= range.maxY; y++) spill.add(zxyToTileId(MIN_ZOOM, x, y), record)
      }
    }
    const chunks = Map.groupBy(spill.end(), ({ bucket }) => bucket)
    const file = openSync(path, 'r')
    const zooms = Array.from({ length: MAX_ZOOM - MIN_ZOOM + 1 }, (_, step) => MIN_ZOOM + step)
    for (const [id, runs] of chunks) {
      const bucket = readBucket(
        [file],
        runs.map((run): BucketChunk => ({ ...run, file: 0 })),
        PROPERTIES.length,
      )
      makeTiles(
        bucket,
        'parcels',
        PROPERTIES,
        PROPERTIES,
        { ...bucketTile(id), zooms, maxZoom: MAX_ZOOM },
        emit,
        () => {},
      )
    }
    closeSync(file)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** The box of each parcel in each tile, clamped to the tile itself: encoders clip differently in the buffer. */
const readBoxes = (encode: EncodeTiles, rows: readonly TileRow[]) => {
  const drawn = new Map<number, Set<number>>()
  const boxes = new Map<string, number[]>()
  encode(rows, (tileId, tile) => {
    const [z] = tileIdToZxy(tileId)
    const layer = new VectorTile(new PbfReader(tile.slice())).layers.parcels
    const ids = drawn.get(z) ?? new Set()
    drawn.set(z, ids)
    for (let index = 0; layer !== undefined && index < layer.length; index++) {
      const feature = layer.feature(index)
      ids.add(feature.id as number)
      if (z !== MAX_ZOOM) continue
      const points = feature.loadGeometry().flat()
      const within = (values: number[]) => values.map((value) => Math.min(4096, Math.max(0, value)))
      const [xs, ys] = [within(points.map(({ x }) => x)), within(points.map(({ y }) => y))]
      const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
      boxes.set(`${tileId}/${feature.id}`, box)
    }
  })
  return { drawn, boxes }
}

/** Below the highest zoom the two simplify differently, and may drop different small parcels. */
const MAX_ODD = 0.001

const isSeen = ([west = 0, north = 0, east = 0, south = 0]: number[]): boolean => east - west > 2 && south - north > 2

/** @throws Error when the two draw different parcels or outlines */
const compare = (ours: ReturnType<typeof readBoxes>, theirs: ReturnType<typeof readBoxes>): void => {
  for (let z = MIN_ZOOM; z <= MAX_ZOOM; z++) {
    const [mine, other] = [ours.drawn.get(z) ?? new Set(), theirs.drawn.get(z) ?? new Set()]
    console.log(`zoom ${z}: ${mine.size} parcels by tiles-build, ${other.size} by geojson-vt`)
    const odd = mine.symmetricDifference(other)
    if (odd.size > (z === MAX_ZOOM ? 0 : MAX_ODD * mine.size))
      throw new Error(`zoom ${z}: ${odd.size} parcels are drawn by only one of the two`)
  }
  const names = new Set([...ours.boxes.keys(), ...theirs.boxes.keys()])
  const far = [...names].filter((name) => {
    const [mine, other] = [ours.boxes.get(name), theirs.boxes.get(name)]
    // Only one of the two may draw a parcel that barely touches the tile.
    if (mine === undefined || other === undefined) return isSeen(mine ?? other ?? [])
    return !mine.every((side, index) => Math.abs(side - (other[index] as number)) <= 1)
  })
  if (far.length > 0) throw new Error(`${far.length} of ${names.size} outlines differ: ${far.slice(0, 3)}`)
}

interface Measure {
  seconds: number
  /** Without the memory of the rows themselves. */
  peakMb: number
  tiles: number
}

const measure = (encode: EncodeTiles, parcels: number): Measure => {
  const rows = makeRows(parcels)
  // Warm up: a real build runs long enough to be fully compiled.
  encode(rows.slice(0, parcels / 10), () => {})
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const startedAt = performance.now()
  let tiles = 0
  encode(rows, () => {
    tiles++
  })
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, peakMb: Math.max(0, process.resourceUsage().maxRSS * 1024 - before) / 1e6, tiles }
}

const run = async (part: string, parcels: number): Promise<Measure> => {
  const child = Bun.spawn(['bun', import.meta.path, '--part', part, '--parcels', String(parcels)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await new Response(child.stdout).text())
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      parcels: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '5' },
      part: { type: 'string' },
    },
  })
  const parcels = Number(values.parcels)
  const { encodeWithLibraries } = await import('../compared/tile-encode-rival')
  const parts: Record<string, EncodeTiles> = { stages: encodeWithStages, libraries: encodeWithLibraries }
  const part = values.part === undefined ? undefined : parts[values.part]
  if (part !== undefined) console.log(JSON.stringify(measure(part, parcels)))
  else await runBench(parcels, Number(values.rounds), encodeWithLibraries)
}

async function runBench(parcels: number, rounds: number, encodeWithLibraries: EncodeTiles): Promise<void> {
  const rows = makeRows(parcels)
  compare(readBoxes(encodeWithStages, rows), readBoxes(encodeWithLibraries, rows))
  const [ours, theirs]: [Measure[], Measure[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push(await run('stages', parcels))
    theirs.push(await run('libraries', parcels))
  }
  const column = (measures: Measure[], name: keyof Measure) => median(measures.map((one) => one[name]))
  const describe = (measures: Measure[]) =>
    `${(1000 * column(measures, 'seconds')).toFixed(0)} ms, ${column(measures, 'peakMb').toFixed(0)} MB, ${column(measures, 'tiles')} tiles`
  const times = column(theirs, 'seconds') / column(ours, 'seconds')
  const goal = atLeast(Number(times.toFixed(1)), 2)
  console.log(`stages of tiles-build:      ${describe(ours)}`)
  console.log(`geojson-vt and vt-pbf:      ${describe(theirs)}`)
  console.log(`${times.toFixed(1)} times as fast (${goal.text})`)
  report({
    bench: 'tile-encode',
    title: `${parcels} parcels to tiles of zoom 12 to 15`,
    ...{ measured: describe(ours), rival: `${describe(theirs)} (geojson-vt, vt-pbf)`, goal },
  })
  if (!goal.met) process.exitCode = 1
}
