import { feature } from 'topojson-client'
import type { GeometryObject, Topology } from 'topojson-specification'
import { BOUNDARY_BOUNDS, ROW_GROUP } from '../../../core/bounds'
import type { ReadRow } from '../rows/source-row'
import { UnreadableFile } from '../rows/unreadable-file'
import { chooseLayer } from './choose-layer'
import type { Format } from './format'
import { createDecoder } from './text-decoder'

/** Every geometry may need any arc, so the whole file is in memory: 78 MB take 417 MB (2026-11-23). */
const MAX_CHARACTERS = 80 * 1024 ** 2
const GROUP_POSITIONS = ROW_GROUP.bytes / 16
/** Neighbors share an arc, so each is used about twice. A file with few positions may use them any number of times. */
const MAX_USES = 100
const MIN_SUSPECT_POSITIONS = 10_000_000

export const topojson: Format = {
  unit: 'feature',
  hasLayers: true,
  isFormat: (_, text) => text.startsWith('{') && /"type"\s*:\s*"Topology"/.test(text),
  async *read(input, { encoding, layer, onCrs }) {
    const decoder = createDecoder(encoding)
    let text = ''
    for await (const chunk of input.read()) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MAX_CHARACTERS) {
        throw new UnreadableFile(
          `${input.name} is larger than ${MAX_CHARACTERS} characters, too much for TopoJSON: convert it with ogr2ogr NEW.geojson ${input.name}`,
        )
      }
    }
    const topology = parse(text, input.name)
    const layers = Object.entries(topology.objects ?? {}).map(([name, object]) => ({ name, object }))
    const { name, object } = chooseLayer(input, layers, layer)
    const members = listMembers(object)
    if (members === null) throw new UnreadableFile(`${input.name}: its layer "${name}" has no geometries`)
    if (!isTransform(topology.transform))
      throw new UnreadableFile(`${input.name} has a "transform" without the numbers of "scale" and "translate"`)
    onCrs({
      crs: (topology as { crs?: unknown }).crs ?? null,
      from: `the "crs" of ${input.name}`,
      isLonLatByDefault: true,
    })
    const stored = Array.isArray(topology.arcs)
      ? topology.arcs.reduce((sum, arc) => sum + (Array.isArray(arc) ? arc.length : 0), 0)
      : 0
    let total = 0
    let group: ReadRow[] = []
    let positions = 0
    for (const [index, member] of members.entries()) {
      const size = countPositions(topology, member as GeometryObject)
      group.push(toRow(topology, member as GeometryObject, index + 1, size))
      const built = Math.min(size, 2 * BOUNDARY_BOUNDS.parcelPositions)
      positions += built
      total += built
      if (total > MIN_SUSPECT_POSITIONS && total > MAX_USES * stored)
        throw new UnreadableFile(
          `${input.name} uses its ${stored} positions more than ${MAX_USES} times each, so it would take too much memory: export it again, or as GeoJSON`,
        )
      if (group.length < ROW_GROUP.rows && positions < GROUP_POSITIONS) continue
      yield group
      group = []
      positions = 0
    }
    yield group
  },
}

const parse = (text: string, name: string): Topology => {
  try {
    return JSON.parse(text) as Topology
  } catch (error) {
    throw new UnreadableFile(`${name} is not valid TopoJSON: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}

/** Null: the file has something else where its geometries should be. */
const listMembers = (object: unknown): unknown[] | null => {
  if (typeof object !== 'object' || object === null) return null
  if (!('type' in object) || object.type !== 'GeometryCollection') return [object]
  return 'geometries' in object && Array.isArray(object.geometries) ? object.geometries : null
}

const isTransform = (transform: unknown): boolean => {
  const { scale, translate } = (transform ?? {}) as { scale?: unknown; translate?: unknown }
  return transform == null || [scale, translate].every((pair) => Array.isArray(pair) && pair.every(Number.isFinite))
}

/**
 * Positions that a geometry will have at most. Arcs can be used any number of times, so these can be far more than the file has.
 * 0: it is not valid, so that `toRow` says why.
 */
const countPositions = (topology: Topology, member: GeometryObject): number => {
  const countIn = (arcs: unknown): number => {
    if (typeof arcs === 'number') return topology.arcs[arcs < 0 ? ~arcs : arcs]?.length ?? 0
    // A ring has at least 4.
    return Array.isArray(arcs) ? arcs.reduce((sum, inner) => sum + countIn(inner), 4) : 0
  }
  try {
    const { arcs, geometries = [] } = member as { arcs?: unknown; geometries?: GeometryObject[] }
    return geometries.reduce((sum, inner) => sum + countPositions(topology, inner), countIn(arcs))
  } catch {
    return 0
  }
}

/** `size`: of `countPositions`. The exact limits are checked later. */
const toRow = (topology: Topology, member: GeometryObject, line: number, size: number): ReadRow => {
  const isBound = size <= 2 * BOUNDARY_BOUNDS.parcelPositions
  try {
    const { id, properties, geometry } = feature(
      topology,
      isBound ? member : { ...member, type: null },
    ) as GeoJSON.Feature
    // Neighbors share positions, which are converted in place.
    return {
      line,
      properties: { ...properties, ...(id === undefined ? {} : { $id: id }) },
      geometry: isBound ? structuredClone(geometry) : { type: 'value that is too large' },
    }
  } catch (error) {
    const isTooDeep = error instanceof RangeError
    return {
      line,
      reason: `not a TopoJSON geometry: ${isTooDeep ? 'it is nested too deeply' : 'its arcs or coordinates are not those of this file'}`,
    }
  }
}
