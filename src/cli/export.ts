import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { MAX_AREA_POSITIONS } from '../../core/bounds'
import { hasCode } from '../../core/error-code'
import { describeFileError } from '../../core/files/describe-file-error'
import { type Bbox, findBboxProblem } from '../../core/geometry/bbox'
import type { Sql } from '../../core/postgres/database'
import { ANYBODY, readPrimary } from '../../core/postgres/replicas/reads'
import { ServiceError } from '../../core/service-error'
import { countNoun, formatCount } from '../../core/text/count-noun'
import { findSourceState } from '../../drizzle/queries/sources/create-source'
import { readConfig } from '../config'
import { countExported } from '../exports/count-exported'
import { namingFullDisk } from '../exports/disk-full'
import { encodeExport } from '../exports/encode-export'
import { DEFAULT_FIELDS, EXPORT_FIELDS, type ExportField } from '../exports/export-columns'
import type { ExportOrigin } from '../exports/export-format'
import type { ExportRequest } from '../exports/export-request'
import { FORMAT_NAMES, FORMATS, type FormatName } from '../exports/formats'
import { PAGE_ROWS, writeExport } from '../exports/write-export'
import { readPolygon } from '../parcels/geometry/read-polygon'
import { GEOMETRIES } from '../parcels/list-parcels'
import type { AreaPlace } from '../parcels/parcels-in-area'
import { runCommand, UsageError } from './command/command'
import { FILTER_OPTIONS, FILTER_USAGE, readFilter } from './command/filter-options'
import { oneOf } from './command/option-values'
import { readOutputFile } from './command/output-file'
import { listenForStop } from './command/stop-signal'
import { useDatabase } from './command/use-database'
import { createProgress } from './terminal/progress'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE = wrapUsage(`bun run export --format NAME [options] [FILE]   export parcels to FILE, or to standard output

  --format NAME        ${FORMAT_NAMES.join(', ')}
  --gzip               compress a text format. FILE should end in .gz
  --fields A,B,C       fields of each parcel, in addition to id, source and source_parcel_id: ${EXPORT_FIELDS.join(', ')}. Default: all but accounts
  --geometry KIND      ${GEOMETRIES.join(', ')}; default: full

Which parcels; all conditions must hold:
${FILTER_USAGE}
  --bbox WEST,SOUTH,EAST,NORTH
  --within FILE        only parcels in the polygon of this GeoJSON file
  --relation KIND      intersects: the boundary meets the polygon; within: the whole parcel is in it. Default: intersects`)

const readBbox = (text: string | undefined): Bbox | null => {
  if (text === undefined) return null
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) {
    throw new UsageError(`--bbox must be four comma-separated numbers: west,south,east,north, not "${text}"`)
  }
  const problem = findBboxProblem(numbers as Bbox)
  if (problem !== null) throw new UsageError(`--bbox: ${problem}`)
  return numbers as Bbox
}

/** `parseArgs` takes a value that begins with `-` only after `=`, but almost every box in the United States begins with one. */
const joinBbox = (args: readonly string[]): string[] =>
  args.flatMap((arg, index) => {
    const value = args[index + 1] ?? ''
    if (arg === '--bbox' && /^-\d/.test(value)) return [`--bbox=${value}`]
    return args[index - 1] === '--bbox' && /^-\d/.test(arg) ? [] : [arg]
  })

const readFields = (text: string | undefined): readonly ExportField[] =>
  text === undefined ? DEFAULT_FIELDS : text.split(',').map((name) => oneOf('--fields', name.trim(), EXPORT_FIELDS))

const OPTIONS = {
  ...FILTER_OPTIONS,
  bbox: { type: 'string' },
  within: { type: 'string' },
  relation: { type: 'string' },
  format: { type: 'string' },
  gzip: { type: 'boolean', default: false },
  fields: { type: 'string' },
  geometry: { type: 'string', default: 'full' },
  help: { type: 'boolean', default: false },
} as const

const readArguments = () =>
  parseArgs({ args: joinBbox(process.argv.slice(2)), allowPositionals: true, options: OPTIONS })
type Values = ReturnType<typeof readArguments>['values']

/** The polygon of a GeoJSON file: a geometry, or the only feature of a file. */
const readPlace = ({ within, relation, bbox }: Values): AreaPlace | null => {
  if (within === undefined) {
    if (relation !== undefined) throw new UsageError('--relation needs --within')
    return null
  }
  if (bbox !== undefined) throw new UsageError('--bbox does not apply with --within: the polygon is enough')
  return {
    area: readPolygon('--within', readGeometry(within), MAX_AREA_POSITIONS),
    relation: relation === undefined ? 'intersects' : oneOf('--relation', relation, ['intersects', 'within']),
  }
}

const readGeometry = (path: string): { type: string; coordinates: unknown[] } => {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageError(
      `--within must be a GeoJSON file: ${describeFileError(error, path) ?? (error as Error).message}`,
    )
  }
  const parsed = json as { features?: { geometry?: unknown }[]; geometry?: unknown }
  if ((parsed?.features?.length ?? 1) !== 1) throw new UsageError('--within must have one polygon')
  const geometry = parsed?.features?.[0]?.geometry ?? parsed?.geometry ?? parsed
  const { type, coordinates } = (geometry ?? {}) as { type?: unknown; coordinates?: unknown }
  if (typeof type !== 'string' || !Array.isArray(coordinates))
    throw new UsageError('--within must be a GeoJSON Polygon or MultiPolygon')
  return { type, coordinates }
}

const readRequest = (values: Values): ExportRequest => {
  const format: FormatName = oneOf('--format', values.format, FORMAT_NAMES)
  const geometry = oneOf('--geometry', values.geometry, GEOMETRIES)
  const { isText, needsGeometry } = FORMATS[format]
  if (values.gzip && !isText) throw new UsageError(`--gzip does not apply to ${format}: it is not a text format`)
  if (needsGeometry && geometry === 'none')
    throw new UsageError(`--geometry must not be none: ${format} has boundaries`)
  const filter = { ...readFilter(values), bbox: readBbox(values.bbox) }
  const which = { filter, place: readPlace(values) }
  return { format, gzip: values.gzip, fields: readFields(values.fields), geometry, ...which }
}

/** Writes to a temporary name first, so that FILE is always complete. Text formats cannot contain the origin, so it is in a second file. */
const exportToFile = async (sql: Sql, request: ExportRequest, file: string, onRows: (rows: number) => void) => {
  const folder = dirname(file)
  const workDir = mkdtempSync(join(folder, `.${basename(file)}-`))
  try {
    const path = join(workDir, 'file')
    const written = await writeExport(readPrimary(sql), ANYBODY, request, {
      path,
      workDir,
      maxBytes: Number.POSITIVE_INFINITY,
      onRows,
    })
    renameSync(path, file)
    const { dataset_version, licenses, rows, sizeBytes } = written
    if (FORMATS[request.format].isText) {
      const origin: ExportOrigin = { dataset_version, licenses }
      writeFileSync(`${file}.origin.json`, `${JSON.stringify(origin, null, 2)}\n`)
    }
    return { rows, sizeBytes }
  } finally {
    rmSync(workDir, { recursive: true, force: true })
  }
}

const exportToOutput = async (sql: Sql, request: ExportRequest, onRows: (rows: number) => void) => {
  const folder = join(readConfig().dataDir, 'exports-work')
  mkdirSync(folder, { recursive: true })
  const workDir = mkdtempSync(join(folder, 'output-'))
  let [rows, sizeBytes] = [0, 0]
  try {
    const { bytes } = await encodeExport(readPrimary(sql), ANYBODY, request, {
      pageRows: PAGE_ROWS,
      workDir,
      onRows: (read) => {
        rows = read
        onRows(read)
      },
    })
    const count = async function* () {
      for await (const chunk of bytes) {
        sizeBytes += chunk.length
        yield chunk
      }
    }
    await pipeline(count(), process.stdout)
    return { rows, sizeBytes }
  } catch (error) {
    // A reader that stops early (`| head`) is not an error.
    if (hasCode(error, 'EPIPE')) return null
    throw error
  } finally {
    rmSync(workDir, { recursive: true, force: true })
  }
}

await runCommand(async () => {
  const { values, positionals } = readArguments()
  if (values.help) return console.log(USAGE)
  if (positionals.length > 1)
    throw new UsageError(`export takes one FILE, not ${positionals.join(', ')}. --help lists the options`)
  const request = readRequest(values)
  const file = positionals[0] === undefined ? null : readOutputFile('FILE', positionals[0])
  const signal = listenForStop(new ServiceError('cancelled', 'the export was cancelled'))
  await useDatabase({ applicationName: 'export', max: 2 }, async (sql) => {
    const { source } = request.filter
    if (source !== null && (await findSourceState(sql, source)) === null)
      throw new ServiceError('not_found', `--source: there is no source "${source}"`)
    const startedAt = performance.now()
    using progress = createProgress('parcels', await countExported(sql, request, null))
    const onRows = (rows: number) => {
      signal.throwIfAborted()
      progress.update(rows)
    }
    const written =
      file === null
        ? await namingFullDisk(() => exportToOutput(sql, request, onRows))
        : await exportToFile(sql, request, file, onRows)
    if (written === null) return progress.finish('the reader stopped')
    const { rows, sizeBytes } = written
    const seconds = (performance.now() - startedAt) / 1000
    const rate = formatCount(Math.round(rows / seconds))
    progress.finish(
      `${countNoun(rows, 'parcel')}, ${(sizeBytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s, ${rate}/s`,
    )
  })
})
