import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../../core/service-error'
import { Coordinates } from '../coordinates/coordinates'
import type { Input } from '../formats/format'
import type { FormatName } from '../formats/format-names'
import { FORMATS, findFormat, getFormat } from '../formats/formats'
import { openFile } from '../inputs/file-input'
import { openFolder } from '../inputs/folder-input'
import { isZip, openZip, type Zip } from '../inputs/zip-input'
import type { RowsOfFile } from './places'
import type { ReadRow } from './source-row'
import { UnknownLayer, UnreadableFile } from './unreadable-file'

export interface ReadOptions {
  /** Null: detected from the content. */
  format?: FormatName | null
  /** A label of the WHATWG Encoding standard. Null: detected from the content. */
  encoding?: string | null
  /** The layer, table or member of a file with several; `FILE/LAYER` for a layer of one of several files in an archive. */
  layer?: string | null
  onBytes?: (bytes: number) => void
  /** Called before the first row of each file. */
  onFile?: (file: RowsOfFile) => void
  /** Called with the columns before the first row, by formats that have a list of them. */
  onHeader?: (columns: string[]) => void
  /** Receives the coordinate system of the file before the first row. */
  coordinates?: Coordinates
}

/** The rows of files, in groups. Numbering continues from file to file. @throws ServiceError `bad_input` */
export async function* readRows(
  files: string | readonly string[],
  options: ReadOptions = {},
): AsyncGenerator<ReadRow[]> {
  let before = 0
  let bytesBefore = 0
  for (const file of typeof files === 'string' ? [files] : files) {
    let last = before
    let bytes = 0
    const onBytes = (read: number) => {
      bytes = Math.max(bytes, read)
      options.onBytes?.(bytesBefore + bytes)
    }
    const onFormat = (format: FormatName) =>
      options.onFile?.({ name: basename(file), format, unit: FORMATS[format].unit, before })
    const version = versionOf(file)
    for await (const rows of readFile(file, { ...options, onBytes, onFormat })) {
      if (before > 0) for (const row of rows) row.line += before
      last = rows.at(-1)?.line ?? last
      yield rows
      // Many formats never wait for the disk. Without this pause, the process could not report its progress or notice that it must stop.
      await setImmediate()
    }
    if (versionOf(file) !== version)
      throw new UnreadableFile(`${basename(file)} was changed while it was read. Load it again when it is complete`)
    before = last
    bytesBefore += bytes
  }
}

/** Null: no such file, or a folder, in which programs write their locks. */
const versionOf = (file: string): string | null => {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined || stats.isDirectory() ? null : `${stats.ino} ${stats.size} ${stats.mtimeMs}`
}

type FileOptions = ReadOptions & { onBytes: (bytes: number) => void; onFormat: (format: FormatName) => void }

async function* readFile(file: string, options: FileOptions): AsyncGenerator<ReadRow[]> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    if (!/\.gdb$/i.test(basename(file))) {
      throw new ServiceError(
        'bad_input',
        `${file} is a folder: name the files in it. Only a file geodatabase, a folder NAME.gdb, is read as a whole`,
      )
    }
    return yield* readInput(openFolder(basename(file), file), { ...options, format: 'ogr' })
  }
  const input = await openFile(file, options.onBytes)
  if (!isZip(input.head)) return yield* readInput(input, options)
  await using zip = await openZip(file, options.onBytes)
  const [geodatabase, ...more] = zip.geodatabases
  if (geodatabase !== undefined && more.length === 0)
    return yield* readInput(geodatabase, { ...options, format: 'ogr' })
  yield* readMember(zip, input.name, options)
}

async function* readMember(zip: Zip, archive: string, options: FileOptions): AsyncGenerator<ReadRow[]> {
  const { member, layer, isNamed } = findMember(zip, archive, options)
  const format = zip.geodatabases.includes(member) ? 'ogr' : (options.format ?? null)
  try {
    yield* readInput(member, { ...options, format, layer })
  } catch (error) {
    if (!isNamed || !(error instanceof UnknownLayer)) throw error
    // The layer alone would not say in which of the files it is.
    const path = member.name.slice(archive.length + 1)
    throw error.renamed((name) => `${path}/${name}`)
  }
}

async function* readInput(input: Input, options: FileOptions): AsyncGenerator<ReadRow[]> {
  const { coordinates = new Coordinates(null) } = options
  const format = options.format ?? getFormat(input)
  const { layer } = options
  // Otherwise a typo in the name of a layer would load another table.
  if (layer != null && FORMATS[format].hasLayers !== true && !nameIs(`/${input.name}`, layer))
    throw new UnreadableFile(`there is no layer "${layer}": ${input.name} has only one table`)
  options.onFormat(format)
  yield* FORMATS[format].read(input, {
    encoding: options.encoding ?? null,
    layer: options.layer ?? null,
    crs: coordinates.nameForGdal,
    onHeader: options.onHeader ?? (() => {}),
    onCrs: (declared) => coordinates.declare(declared),
  })
}

/** Members that belong to other members, or describe them. */
const IS_BESIDE = /\.(?:dbf|shx|prj|cpg|sb[nx]|qix|qmd|xml|html?|txt|pdf|md|lyrx?|docx?|jpe?g|png)$/i

/** https://docs.oasis-open.org/office/OpenDocument/v1.3/os/part2-packages/OpenDocument-v1.3-os-part2-packages.html, 3.3 */
const isOpenDocument = ({ name, head }: Input): boolean =>
  /^[^/]*\/mimetype$/.test(name) &&
  Buffer.from(head).toString('latin1').startsWith('application/vnd.oasis.opendocument.')

/** Tables, if they do not belong to a shapefile. Beside other members, most describe them. */
const IS_TABLE = /\.(?:dbf|txt)$/i

const stemOf = (name: string): string => name.replace(/\.[^./]+$/, '').toLowerCase()

interface Found {
  member: Input
  /** The layer in the member. Null: the only one. */
  layer: string | null
  /** There are several, and `layer` names this one. */
  isNamed: boolean
}

/** The member with the rows: the only one of a known format, or the one that `layer` names. @throws UnreadableFile */
const findMember = ({ members, geodatabases }: Zip, archive: string, { layer = null, format }: ReadOptions): Found => {
  if (members.some(({ name }) => /^[^/]*\/xl\/workbook\.(?:xml|bin)$/.test(name)))
    throw new UnreadableFile(`${archive} is an Excel workbook. Save the sheet as "CSV UTF-8"`)
  if (members.some(isOpenDocument))
    throw new UnreadableFile(`${archive} is an OpenDocument file. Save the sheet as CSV`)
  const areRows = (member: Input) => format === 'csv' || findFormat(member) !== null
  const main = [...geodatabases, ...members.filter((member) => !IS_BESIDE.test(member.name) && areRows(member))]
  const shapes = new Set(members.flatMap(({ name }) => (/\.shp$/i.test(name) ? [stemOf(name)] : [])))
  const tables = members.filter(
    (member) => IS_TABLE.test(member.name) && areRows(member) && !shapes.has(stemOf(member.name)),
  )
  const wantsTable =
    layer !== null && !main.some(({ name }) => nameIs(name, layer)) && tables.some(({ name }) => nameIs(name, layer))
  const candidates = main.length === 0 || wantsTable ? tables : main
  const inner = members.find(({ head }) => isZip(head))
  // The text beside it is probably a description.
  if (inner !== undefined && main.length === 0 && !wantsTable)
    throw new UnreadableFile(`${inner.name} is an archive in an archive: unpack ${archive} first`)
  const [only, ...others] = candidates
  if (only === undefined) {
    const names = members.map(({ name }) => name.slice(archive.length + 1))
    throw new UnreadableFile(
      `${archive} has no file that can be read: ${names.slice(0, 20).join(', ') || 'it is empty'}`,
    )
  }
  if (others.length === 0) return { member: only, layer, isNamed: false }
  const named = layer === null ? [] : candidates.flatMap((member) => findNamed(member, archive, layer))
  const [found, ...more] = named
  if (found !== undefined && more.length === 0) return found
  const asked = named.length === 0 ? candidates : named.map(({ member }) => member)
  throw new UnknownLayer(
    `${archive} has several files:`,
    asked.map(({ name }) => name.slice(archive.length + 1)),
  )
}

/** Whether `layer` names the member, or one of its layers as `FILE/LAYER`. */
const findNamed = (member: Input, archive: string, layer: string): Found[] => {
  if (nameIs(member.name, layer)) return [{ member, layer: null, isNamed: true }]
  const path = `${member.name.slice(archive.length + 1)}/`
  return layer.startsWith(path) ? [{ member, layer: layer.slice(path.length), isNamed: true }] : []
}

/** `layer` is the end of the path, with or without the extension. */
const nameIs = (path: string, layer: string): boolean =>
  path.endsWith(`/${layer}`) || path.replace(/\.[^./]+$/, '').endsWith(`/${layer}`)
