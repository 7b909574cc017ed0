import type { Subprocess } from 'bun'
import { GDAL_BOUNDS } from '../../../core/bounds'
import { memoryOf, processorMsOf } from '../../../core/concurrency/process-usage'
import { formatCount } from '../../../core/text/count-noun'
import { UnreadableFile } from '../rows/unreadable-file'
import { chooseLayer } from './choose-layer'
import type { Format, Input } from './format'
import { readFeatures } from './geojson-lines'
import { readLines } from './read-lines'

/**
 * GDAL's drivers for formats that this service does not read itself. Other drivers could read further files or databases that a file
 * names.
 */
const DRIVERS = ['OpenFileGDB', 'MapInfo File', 'LIBKML', 'KML', 'GML', 'DXF', 'DGN']
/** Digits after the point: 0.1 mm. */
const DECIMALS = 9
const MAX_ERROR_CHARACTERS = 2_000
/** XML (KML, GML), DXF, and MapInfo's two formats. */
const OTHER_TEXT = /^(?:<|0\s*\r?\n\s*SECTION\b|Version\s+\d+\s*\r?\nCharset|!table\b)/i

/** File geodatabases, MapInfo, KML, GML and DXF, which GDAL's ogr2ogr converts to GeoJSON lines in longitude and latitude. */
export const ogr: Format = {
  unit: 'feature',
  hasLayers: true,
  isFormat: (_, text) => OTHER_TEXT.test(text),
  async *read(input, { layer, crs, onCrs }) {
    if (Bun.which('ogr2ogr') === null) {
      throw new UnreadableFile(
        `${input.name} is read by GDAL, which is not installed: apt-get install gdal-bin (Debian, Ubuntu) or brew install gdal (macOS)`,
      )
    }
    const { name } = chooseLayer(input, await listLayers(input), layer)
    // ogr2ogr would take the name for one of its options.
    if (name.startsWith('-'))
      throw new UnreadableFile(`${input.name}: the layer "${name}" has a name that begins with "-"`)
    onCrs({ crs: null, from: input.name, isConverted: true })
    const options = ['-lco', `COORDINATE_PRECISION=${DECIMALS}`, '-t_srs', 'EPSG:4326']
    const source = crs === null ? [] : ['-s_srs', crs]
    const child = start(['ogr2ogr', '-f', 'GeoJSONSeq', '/vsistdout/', input.gdalPath, name, ...source, ...options])
    const problem = readProblem(child.stderr)
    const watch = watchProgram(child)
    try {
      for await (const { first, lines } of readLines(child.stdout, 'utf-8')) {
        watch.hear()
        yield readFeatures(lines, first)
      }
      if ((await child.exited) !== 0) throw toFault(input, watch.excess() ?? (await problem))
    } finally {
      child.kill()
    }
  },
}

/** All other drivers. GDAL_SKIP takes their names, because ogrinfo has no option to select drivers. */
const listOthers = (): string[] => {
  const { stdout } = Bun.spawnSync(['ogrinfo', '--formats'])
  const names = [...stdout.toString().matchAll(/^\s+(.+?) -(?:[a-z]+,?)+- /gm)].map(([, name]) => name as string)
  return names.filter((name) => name !== 'GeoJSONSeq' && !DRIVERS.includes(name))
}

const start = (command: string[]) =>
  Bun.spawn(command, {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', GML_DOWNLOAD_SCHEMA: 'NO', GDAL_SKIP: listOthers().join(',') },
  })

const LOOK_EVERY_MS = 100

/** Kills a program that takes too much. `hear`: it has given a result. `excess`: why it was killed; null if it was not. */
export const watchProgram = (
  child: Subprocess,
  bounds: { memoryBytes: number; stepMs: number } = GDAL_BOUNDS,
): { hear: () => void; excess: () => string | null } => {
  let heardAt = 0
  let excess: string | null = null
  const timer = setInterval(() => {
    if (memoryOf(child.pid) > bounds.memoryBytes)
      excess = `it takes more than ${formatCount(bounds.memoryBytes / 1024 ** 2)} MB of memory. Convert the file to a GeoPackage`
    else if (processorMsOf(child.pid) - heardAt > bounds.stepMs)
      excess = `it took ${bounds.stepMs / 1_000} s of processor time without a result`
    if (excess !== null) child.kill('SIGKILL')
  }, LOOK_EVERY_MS)
  child.exited.finally(() => clearInterval(timer))
  return {
    hear: () => {
      heardAt = processorMsOf(child.pid)
    },
    excess: () => excess,
  }
}

const listLayers = async (input: Input): Promise<{ name: string }[]> => {
  const child = start(['ogrinfo', '-ro', '-q', input.gdalPath])
  const watch = watchProgram(child)
  const [text, problem] = await Promise.all([new Response(child.stdout).text(), readProblem(child.stderr)])
  if ((await child.exited) !== 0) throw toFault(input, watch.excess() ?? problem)
  // `1: lots (Multi Polygon)`, `1: lots (3D Unknown (any))`, or `Layer: lots (Multi Polygon)` for a file geodatabase.
  const names = [...text.matchAll(/^(?:\d+|Layer): (.+?)(?: \((?:[^()]|\([^()]*\))*\))?$/gm)].map(
    ([, name]) => name as string,
  )
  return [...new Set(names)].map((name) => ({ name }))
}

const readProblem = async (stderr: ReadableStream<Uint8Array>): Promise<string> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stderr) {
    if (text.length < MAX_ERROR_CHARACTERS) text += decoder.decode(chunk, { stream: true })
  }
  return text.trim().slice(0, MAX_ERROR_CHARACTERS)
}

const toFault = (input: Input, problem: string): UnreadableFile => {
  const question = /no coordinate system|-s_srs/.test(problem)
    ? `the file does not say which coordinate system it is in. Which one is it? Add --crs EPSG:CODE`
    : problem === ''
      ? `GDAL cannot read it as one of these formats: ${DRIVERS.join(', ')}`
      : `GDAL cannot read it: ${problem.split('\n').slice(0, 3).join('; ')}`
  return new UnreadableFile(`${input.name}: ${question}`)
}
