import { feature } from 'topojson-client'
import type { GeometryObject, Topology } from 'topojson-specification'
import type { ReadRow } from '../rows/source-row'
import { UnreadableFile } from '../rows/unreadable-file'
import { chooseLayer } from './choose-layer'
import type { Format } from './format'
import { createDecoder } from './text-decoder'

/** Every geometry may need any arc, so the whole file is in memory: 78 MB take 417 MB (2026-11-23). */
const MAX_CHARACTERS = 80 * 1024 ** 2
const GROUP_ROWS = 1_000

export const topojson: Format = {
  unit: 'feature',
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
    const { object } = chooseLayer(input, layers, layer)
    onCrs({
      crs: (topology as { crs?: unknown }).crs ?? null,
      from: `the "crs" of ${input.name}`,
      isLonLatByDefault: true,
    })
    const members = object.type === 'GeometryCollection' ? object.geometries : [object]
    for (let start = 0; start < members.length; start += GROUP_ROWS) {
      yield members
        .slice(start, start + GROUP_ROWS)
        .map((member, index) => toRow(topology, member as GeometryObject, start + index + 1))
    }
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

const toRow = (topology: Topology, member: GeometryObject, line: number): ReadRow => {
  try {
    const { id, properties, geometry } = feature(topology, member) as GeoJSON.Feature
    // Neighbors share positions, which are converted in place.
    return {
      line,
      properties: { ...properties, ...(id === undefined ? {} : { $id: id }) },
      geometry: structuredClone(geometry),
    }
  } catch (error) {
    return { line, reason: `not a TopoJSON geometry: ${error instanceof Error ? error.message : error}` }
  }
}
