import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { bytesToHeader, findTile, readVarint, tileIdToZxy, zxyToTileId } from 'pmtiles'
import { type Entry, encodeDirectories, encodeDirectory } from '../../tiles-build/archive/directory'
import { encodeHeader, HEADER_BYTES } from '../../tiles-build/archive/header'
import { clipRing, clipRoom } from '../../tiles-build/encode/clip'
import { latToY, lonToX, WORLD_SIZE } from '../../tiles-build/encode/project'
import { bucketTile, firstDescendant } from '../../tiles-build/encode/tile-math'
import { createGeometryBox, parseGeometry } from '../../tiles-build/read/parse-geometry'

const encode = (text: string) => new TextEncoder().encode(text)

describe('parse', () => {
  const lon = fc.double({ min: -180, max: 180, noNaN: true })
  const lat = fc.double({ min: -85, max: 85, noNaN: true })
  const shortNumber = (degrees: number) => Math.round(degrees * 1e7) / 1e7
  const position = fc.oneof(
    fc.tuple(lon, lat),
    fc.tuple(lon.map(shortNumber), lat.map(shortNumber)),
    fc.tuple(lon, lat, fc.integer()),
  )
  const polygons = fc.array(
    fc.array(fc.array(position, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )

  test('reads the same as JSON.parse, to the last digit', () => {
    fc.assert(
      fc.property(polygons, fc.boolean(), (drawn, spaced) => {
        const geometry = { bbox: [1, 2, 3, 4], type: 'MultiPolygon', coordinates: drawn }
        const text = JSON.stringify(geometry, null, spaced ? 2 : 0)
        const { coordinates } = JSON.parse(text) as typeof geometry
        const json = encode(text)
        const expected: number[] = [coordinates.length]
        for (const rings of coordinates) {
          expected.push(rings.length)
          for (const ring of rings) {
            const points = ring.map(([x, y]) => [lonToX(x), latToY(y)] as const)
            const [first, last] = [points[0], points.at(-1)]
            if (points.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1]) points.pop()
            expected.push(points.length, ...points.flat())
          }
        }
        const words = new Uint32Array(json.length)
        const box = createGeometryBox()
        const end = parseGeometry(json, words, 3, box)
        expect([...words.subarray(3, end)]).toEqual(expected)
        const all = coordinates.flat(2)
        expect(box.degrees).toEqual([
          Math.min(...all.map(([x]) => x)),
          Math.min(...all.map(([, y]) => y)),
          Math.max(...all.map(([x]) => x)),
          Math.max(...all.map(([, y]) => y)),
        ])
      }),
    )
  })

  test.each(['{"type":"MultiPolygon","coordinates":[]}', '{"type":"MultiPolygon","coordinates":[[[]]]}', 'null', ''])(
    'nothing to draw in %p',
    (json) => expect(parseGeometry(encode(json), new Uint32Array(64), 0, createGeometryBox())).toBe(0),
  )
})

describe('project', () => {
  test('the corners of the world, and the poles at its edge', () => {
    expect([lonToX(-180), lonToX(0), lonToX(180)]).toEqual([0, WORLD_SIZE / 2, WORLD_SIZE - 1])
    expect([latToY(90), latToY(0), latToY(-90)]).toEqual([0, WORLD_SIZE / 2, WORLD_SIZE - 1])
  })
})

describe('clip', () => {
  const clip = (points: [number, number][], min: number, max: number): [number, number][] => {
    const ring = new Float64Array(clipRoom(points.length))
    ring.set(points.flat())
    const left = clipRing(ring, new Float64Array(ring.length), points.length, min, max)
    return Array.from({ length: left }, (_, point) => [ring[2 * point] as number, ring[2 * point + 1] as number])
  }
  const coordinate = fc.integer({ min: -300, max: 300 })
  const ring = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 40 })

  test('a square over a corner', () => {
    const half: [number, number][] = [
      [5, 5],
      [15, 5],
      [15, 15],
      [5, 15],
    ]
    expect(clip(half, 0, 10).sort()).toEqual([
      [10, 10],
      [10, 5],
      [5, 10],
      [5, 5],
    ])
  })

  test('the result is inside, has the same points inside, and fits its buffer', () => {
    fc.assert(
      fc.property(ring, (points) => {
        const left = clip(points, -100, 100)
        expect(left.length * 2).toBeLessThanOrEqual(clipRoom(points.length))
        for (const [x, y] of left) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(100)
        const inside = points.filter(([x, y]) => Math.max(Math.abs(x), Math.abs(y)) <= 100)
        for (const point of inside) expect(left).toContainEqual(point)
      }),
    )
  })

  test('neighbors are cut at the same points, in either direction of the ring', () => {
    fc.assert(
      fc.property(ring, (points) => {
        const forward = clip(points, -100, 100).map(String).sort()
        expect(clip(points.toReversed(), -100, 100).map(String).sort()).toEqual(forward)
      }),
    )
  })
})

describe('tile ids', () => {
  test("a tile's descendants follow one another from the first", () => {
    const z = 4
    for (let x = 0; x < 16; x++) {
      for (let y = 0; y < 16; y++) {
        const id = zxyToTileId(z, x, y)
        expect(bucketTile(id)).toEqual({ z, x, y })
        for (const deeper of [4, 5, 7]) {
          const side = 2 ** (deeper - z)
          const first = firstDescendant(id, z, deeper)
          for (let step = 0; step < side * side; step++) {
            const [, childX, childY] = tileIdToZxy(first + step)
            expect([childX, childY].map((at) => Math.floor(at / side))).toEqual([x, y])
          }
        }
      }
    }
  })
})

describe('directories', () => {
  /** The four columns of a directory (PMTiles v3, section 4.2). */
  const decode = (bytes: Uint8Array): Entry[] => {
    const position = { buf: new Uint8Array(gunzipSync(bytes)), pos: 0 }
    const count = readVarint(position)
    const column = () => Array.from({ length: count }, () => readVarint(position))
    const [steps, runs, lengths, offsets] = [column(), column(), column(), column()]
    const entries: Entry[] = []
    for (let at = 0; at < count; at++) {
      const last = entries.at(-1)
      const offset = offsets[at] as number
      entries.push({
        tileId: (last?.tileId ?? 0) + (steps[at] as number),
        offset: offset === 0 && last !== undefined ? last.offset + last.length : offset - 1,
        length: lengths[at] as number,
        runLength: runs[at] as number,
      })
    }
    return entries
  }
  const makeEntries = (count: number): Entry[] =>
    Array.from({ length: count }, (_, at) => ({
      tileId: 3 * at + (at % 2) + 10_000_000,
      offset: (at * 7_919_111) % 4_000_000_007,
      length: 1 + ((at * 31) % 5_000),
      runLength: 1 + (at % 3 === 0 ? 1 : 0),
    }))

  test('are read back unchanged', () => {
    for (const count of [1, 2, 1_000]) expect(decode(encodeDirectory(makeEntries(count)))).toEqual(makeEntries(count))
  })

  test('few tiles need no leaf directories; many have them, each listed in a root that fits in the first request', () => {
    expect(encodeDirectories(makeEntries(500)).leafCount).toBe(0)
    const entries = makeEntries(300_000)
    const { root, leaves, leafCount } = encodeDirectories(entries)
    expect(leafCount).toBeGreaterThan(1)
    expect(root.length + HEADER_BYTES).toBeLessThanOrEqual(16_384)
    const rootEntries = decode(root)
    for (const entry of entries.filter((_, at) => at % 9_973 === 0)) {
      const leaf = findTile(rootEntries, entry.tileId)
      if (leaf === null) throw new Error(`no leaf for ${entry.tileId}`)
      expect(leaf.runLength).toBe(0)
      expect(findTile(decode(leaves.subarray(leaf.offset, leaf.offset + leaf.length)), entry.tileId)).toEqual(entry)
    }
  })
})

test('a header is read back as written, even for large archives', () => {
  const bytes = encodeHeader({
    rootDirectoryLength: 1_000,
    jsonMetadataLength: 200,
    leafDirectoryLength: 30_000,
    tileDataLength: 80_000_000_000,
    ...{ numAddressedTiles: 4_000_000_000, numTileEntries: 30_000, numTileContents: 20_000, minZoom: 10, maxZoom: 15 },
    bounds: [-124.7, 24.5, -66.9, 49.4],
  })
  expect(bytesToHeader(bytes.buffer as ArrayBuffer)).toMatchObject({
    ...{ specVersion: 3, clustered: true, internalCompression: 2, tileCompression: 2, tileType: 1 },
    ...{ rootDirectoryOffset: 127, jsonMetadataOffset: 1_127, leafDirectoryOffset: 1_327, tileDataOffset: 31_327 },
    ...{ tileDataLength: 80_000_000_000, numAddressedTiles: 4_000_000_000, numTileEntries: 30_000 },
    ...{ minLon: -124.7, minLat: 24.5, maxLon: -66.9, maxLat: 49.4, minZoom: 10, maxZoom: 15 },
  })
})
