import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ACCOUNT_FIELD_NAMES } from '../../core/parcels/accounts'
import type { ParcelFieldName } from '../../core/parcels/fields'
import { connectDatabase, type Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { countNoun, formatCount } from '../../core/text/count-noun'
import { migrate } from '../../drizzle/migrate'
import { createSource, findSourceState } from '../../drizzle/queries/sources/create-source'
import { type Config, readConfig } from '../config'
import { Coordinates } from '../ingest/coordinates/coordinates'
import { type Mapping, parseFieldMap } from '../ingest/fields/field-map'
import { ENTITY_FIELDS, type Fields, PARCEL_FIELDS } from '../ingest/fields/fields'
import { FUNCTIONS } from '../ingest/fields/functions'
import { readMapFile } from '../ingest/fields/map-file'
import { applyPreset, PRESET_NAMES, type PresetName } from '../ingest/fields/presets'
import { FORMAT_NAMES } from '../ingest/formats/format-names'
import { type IngestOptions, ingestEntities, ingestParcels } from '../ingest/ingest'
import { fetchInputs } from '../ingest/inputs/fetch-input'
import { fileSize } from '../ingest/inputs/read-bytes'
import type { IngestSummary } from '../ingest/pipeline/summary'
import { previewFile } from '../ingest/preview/preview-file'
import { sampleColumns } from '../ingest/preview/sample-columns'
import { DUPLICATES, SUMMABLE_FIELDS } from '../ingest/reading-options'
import { ingestRoll, type RollOptions, type RollSummary } from '../ingest/roll/ingest-roll'
import { previewRoll } from '../ingest/roll/preview-roll'
import { ROLL_FIELDS } from '../ingest/roll/roll-fields'
import { WIDTH } from '../ingest/write-batches'
import { describeHeldLoad, HELD_CODE } from '../loads/describe-load'
import { useComponents } from '../roles/components'
import { describeRetired } from '../scrape/configure-source'
import { runCommand, UsageError } from './command/command'
import { describePreview, describeRollPreview } from './terminal/describe-preview'
import { createProgress } from './terminal/progress'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE =
  wrapUsage(`bun run ingest parcels --preview FILE...           show columns, a guessed field map and what would be rejected
bun run ingest parcels --source SLUG FILE...       load files of parcels into a source
bun run ingest roll --source SLUG --preview FILE...
                                                   the same for an assessor's roll, and how many rows and parcels match
bun run ingest roll --source SLUG --join COLUMN FILE...
                                                   load an assessor's roll: many accounts (units) of a parcel
bun run ingest entities --jurisdiction XX FILE...  load files of a state's business registry

FILE is a shapefile, GeoPackage, FlatGeobuf, GeoParquet, GeoJSON, GeoJSON lines, TopoJSON or CSV, also zipped. GDAL, if installed, reads file geodatabases, MapInfo, KML, GML and DXF. FILE can be a URL (https://), or - for standard input.
Several files are one load. Loading them again writes only changed rows. Rows that cannot be loaded are written to a rejects file, with line and reason; the other rows are loaded.
An empty value clears the field of a parcel. A field without a column in FILE keeps its value.
A load of parcels that would change too much is held (exit code ${HELD_CODE}): nothing of it is visible until you apply it with \`bun run loads apply ID\`, or discard it.

  --join COLUMN        roll: the column with the parcel's id, or an expression; ML=COLUMN is the same, with the name that the id had in the file of parcels
  --preview            write nothing. Checks the first 10,000 rows; --rows NUMBER or --rows all checks others. Of a roll it checks all rows, or --rows NUMBER
  --preset SCHEMA      the field map of a state's schema: ${PRESET_NAMES.join(', ')}. Fields in --map replace those of the preset
  --map FIELD=COLUMN   the column of a field; separate several with commas, or repeat the option. Other fields are read from the columns of the same name. COLUMN may be an expression:
                         acreage=LandAreaSqFt/43560          + - * / and brackets
                         situs_address=HouseNo+' '+Street    + joins texts
                         source_parcel_id=PIN|OLD_PIN        the second column if the first is empty
                         owner_name="Owner Name"             a column name with blanks
                         situs_state='OR'                    the same for every row
                         source_parcel_id=$id                the id of a GeoJSON Feature
                       or a function:
${Object.values(FUNCTIONS)
  .map(({ usage, does }) => `                         ${usage.padEnd(38)}${does}`)
  .join('\n')}
  --map FILE           the same in a file: one per line, a JSON object, or a .ts or .js file that exports the object map, in which a field can also be a function of the row: (row) => row.PIN.slice(2). --map-file FILE is the same
  --format FORMAT      ${FORMAT_NAMES.join(', ')}; default: by the content of FILE
  --encoding NAME      the file's text encoding; default: by the content of FILE (UTF-8, UTF-16 or Windows-1252)
  --rejects FILE       the file for rejected rows; default: FILE's name with .rejects.csv, in this folder
  --duplicates WAY     rows with the same id: reject (all but the first; the default), number (ID~2, ID~3, in the order of their content), or merge (parts of one parcel). number and merge read FILE twice.
  --sum FIELD,FIELD    with merge: fields that are added up (${SUMMABLE_FIELDS.join(', ')}); of other fields, the first value counts
  --broken-geometry W  a row with broken geometry: reject (the default), or leave-out (load it without geometry)
  --boundary COLUMN    the column with the boundaries of a CSV, as WKT or GeoJSON; default: the one that has polygons in WKT
  --crs EPSG:CODE      the coordinate system, if FILE does not say it or says a wrong one; EPSG:4326 is longitude and latitude
  --layer NAME         the layer, table or file in an archive, if there are several
  --complete           FILE lists all parcels of the source: parcels that it does not list are retired. A complete roll removes the accounts of parcels that it does not list
  --as-of DATE         the date of the data, such as 2026-01-31
  --state XX --county NAME [--base-url URL]
                       create the source, inactive, if it does not exist and a parcel is loaded. URL is the https URL of the file, for recurring loads

Fields of an account of a roll: ${ACCOUNT_FIELD_NAMES.join(', ')}
Fields of a parcel: ${Object.keys(PARCEL_FIELDS).join(', ')}
Fields of an entity: ${Object.keys(ENTITY_FIELDS).join(', ')}`)

const OPTIONS = {
  source: { type: 'string' },
  join: { type: 'string' },
  jurisdiction: { type: 'string' },
  map: { type: 'string', multiple: true },
  'map-file': { type: 'string', multiple: true },
  preset: { type: 'string' },
  preview: { type: 'boolean', default: false },
  rows: { type: 'string' },
  format: { type: 'string' },
  encoding: { type: 'string' },
  rejects: { type: 'string' },
  duplicates: { type: 'string', default: 'reject' },
  sum: { type: 'string' },
  'broken-geometry': { type: 'string', default: 'reject' },
  boundary: { type: 'string' },
  crs: { type: 'string' },
  layer: { type: 'string' },
  complete: { type: 'boolean', default: false },
  'as-of': { type: 'string' },
  state: { type: 'string' },
  county: { type: 'string' },
  'base-url': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

await runCommand(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS })
  if (values.help) return console.log(USAGE)
  const [what, ...files] = positionals
  if (what !== 'parcels' && what !== 'entities' && what !== 'roll') {
    throw new UsageError(`ingest takes parcels, roll or entities\n\n${USAGE}`)
  }
  if (files.length === 0) throw new UsageError(`FILE is missing: bun run ingest ${what} ... FILE (see --help)`)

  const isPreview = values.preview
  if (what === 'roll') return await loadRoll(values, files)
  if (values.join !== undefined) throw new UsageError('--join belongs to `ingest roll`')
  if (isPreview && what !== 'parcels') throw new UsageError('--preview belongs to `ingest parcels` and `ingest roll`')
  if (!isPreview && values.rows !== undefined) throw new UsageError('--rows belongs to --preview')
  const load = isPreview ? null : what === 'parcels' ? readParcelTarget(values) : readEntityTarget(values)
  const given = await readMap(values, what === 'parcels' ? PARCEL_FIELDS : ENTITY_FIELDS)
  const preset = values.preset === undefined ? null : oneOf('--preset', values.preset, PRESET_NAMES)
  const options: Omit<IngestOptions, 'file' | 'map'> = {
    format: values.format === undefined ? null : oneOf('--format', values.format, FORMAT_NAMES),
    encoding: values.encoding ?? null,
    rejectsFile: values.rejects ?? `${nameOf(files[0] as string)}.rejects.csv`,
    duplicates: oneOf('--duplicates', values.duplicates, DUPLICATES),
    sum: readSum(values),
    isComplete: values.complete,
    asOf: values['as-of'] === undefined ? null : isoDate('--as-of', values['as-of']),
    brokenGeometry: oneOf('--broken-geometry', values['broken-geometry'], ['reject', 'leave-out'] as const),
    boundaryColumn: values.boundary ?? null,
    crs: values.crs ?? null,
    layer: values.layer ?? null,
  }
  await withInputs(files, async (inputs, signal, config) => {
    if (load === null) {
      const maxRows = readRowCount(values.rows)
      const preview = await previewFile(inputs, {
        ...{ ...options, map: given, preset, signal },
        ...(maxRows === undefined ? {} : { maxRows }),
      })
      console.log(describePreview(preview, { files, given, options: readingOptionsOf(values) }))
      return
    }
    const map = preset === null ? given : await completeWithPreset(preset, given, inputs, options)
    const sizeBytes = inputs.reduce((sum, path) => sum + fileSize(path), 0)
    await withDatabase(config, async (sql) => {
      const run = await load(sql)
      using progress = createProgress(`${what} of ${files.map(nameOf).join(', ')}`, sizeBytes, { isBytes: true })
      const summary = await run({
        ...{ ...options, map, file: inputs },
        ...{ signal, say: (line: string) => console.error(line) },
        onProgress: (bytes) => progress.update(bytes),
      })
      progress.finish(describe(summary, options))
      for (const note of summary.notes) console.error(note)
      reportEnd(summary)
      if (what === 'parcels' && summary.read > 0 && summary.rejected === summary.read)
        console.error('No row could be loaded. --preview shows the columns of the file, and a --map that fits them.')
    })
  })
})

/** Runs a step on the files that the arguments name: paths, URLs, or `-`. A signal stops it. */
async function withInputs(
  files: readonly string[],
  run: (paths: readonly string[], signal: AbortSignal, config: Config) => Promise<void>,
): Promise<void> {
  const config = readConfig()
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  await using inputs = await fetchInputs(files, {
    ...{ folder: join(config.dataDir, 'downloads'), signal: stop.signal },
    say: (line) => console.error(line),
  })
  await run(inputs.paths, stop.signal, config)
}

async function withDatabase(config: Config, run: (sql: Sql) => Promise<void>): Promise<void> {
  const components = await useComponents(config, console.error)
  const sql = connectDatabase(components.databaseUrl, { max: WIDTH, applicationName: 'ingest' })
  try {
    await migrate(components.databaseUrl)
    await run(sql)
  } finally {
    await sql.end({ timeout: 5 })
    await components.stop()
  }
}

/** Prints what the operator should know about a load, and sets the exit code. */
function reportEnd({ warnings, stopped, load }: Pick<IngestSummary, 'warnings' | 'stopped' | 'load'>): void {
  for (const warning of warnings) console.error(`warning: ${warning}`)
  if (stopped) {
    const kept = load?.status === 'discarded' ? ', and nothing was loaded' : ''
    console.error(`stopped before the end of the file${kept}: run the same command again to complete it`)
    process.exitCode = 130
  }
  if (load?.status === 'held') {
    for (const line of describeHeldLoad(load)) console.error(line)
    process.exitCode = HELD_CODE
  }
}

/** `bun run ingest roll`. */
async function loadRoll(values: Values, files: readonly string[]): Promise<void> {
  const options = await readRollOptions(values, files)
  const { source } = values
  if (source === undefined) throw new UsageError("--source is missing: the slug of the parcels' source")
  await withInputs(files, async (inputs, signal, config) => {
    await withDatabase(config, async (sql) => {
      if ((await findSourceState(sql, source)) === null)
        throw new ServiceError('not_found', `--source: there is no source "${source}"`)
      if (values.preview) {
        const maxRows = readRowCount(values.rows) ?? Number.POSITIVE_INFINITY
        const preview = await previewRoll(sql, source, inputs, { ...options, signal, maxRows })
        return console.log(describeRollPreview(preview, { source, files, given: options.map }))
      }
      const size = inputs.reduce((sum, path) => sum + fileSize(path), 0)
      using progress = createProgress(`roll of ${files.map(nameOf).join(', ')}`, size, { isBytes: true })
      const summary = await ingestRoll(sql, source, {
        ...{ ...options, file: inputs, signal, say: (line: string) => console.error(line) },
        onProgress: (bytes) => progress.update(bytes),
      })
      progress.finish(describeRoll(summary, options))
      reportEnd(summary)
    })
  })
}

async function readRollOptions(values: Values, files: readonly string[]): Promise<Omit<RollOptions, 'file'>> {
  for (const name of ['jurisdiction', 'state', 'county', 'base-url', 'boundary', 'crs', 'sum', 'preset'] as const) {
    if (values[name] !== undefined) throw new UsageError(`--${name} does not belong to \`ingest roll\``)
  }
  if (!values.preview && values.rows !== undefined) throw new UsageError('--rows belongs to --preview')
  const { join } = values
  if (join === undefined && !values.preview) {
    throw new UsageError("--join is missing: the roll's column with the id of the parcel (--preview guesses it)")
  }
  const key = join === undefined ? [] : await orUsageError('--join', () => parseJoin(join))
  const name = nameOf(files[0] as string)
  return {
    map: replaceFields(await readMap(values, ROLL_FIELDS), key),
    format: values.format === undefined ? null : oneOf('--format', values.format, FORMAT_NAMES),
    encoding: values.encoding ?? null,
    layer: values.layer ?? null,
    rejectsFile: values.rejects ?? `${name}.rejects.csv`,
    parcelsWithoutRowFile: `${name}.parcels-without-row.csv`,
    isComplete: values.complete,
    asOf: values['as-of'] === undefined ? null : isoDate('--as-of', values['as-of']),
  }
}

/** `COLUMN`, or `ML=COLUMN` with the name that the id had in the file of parcels. */
function parseJoin(text: string): Mapping[] {
  const column = /^\s*(?:"[^"]+"|[\p{L}_$][\p{L}\p{N}_.$]*)\s*=(.*)$/su.exec(text)?.[1] ?? text
  return parseFieldMap(`source_parcel_id=${column}`, ROLL_FIELDS)
}

/** The name of an argument: a path, a URL, or `-`. */
function nameOf(file: string): string {
  return file === '-' ? 'standard-input' : basename(file.replace(/[?#].*$/, ''))
}

/** Checks the arguments against the database, and returns the load function. */
type Target = (sql: Sql) => Promise<(options: IngestOptions) => Promise<IngestSummary>>

function readParcelTarget(values: Values): Target {
  const source = values.source
  if (source === undefined) throw new UsageError("--source is missing: the slug of the parcels' source")
  if (values.jurisdiction !== undefined)
    throw new UsageError('--jurisdiction belongs to `ingest entities`; parcels take --source')
  if (!/^[a-z0-9][a-z0-9_-]{0,99}$/.test(source)) {
    throw new UsageError(`--source takes a slug of up to 100 of a-z, 0-9, _ and -, not "${source}"`)
  }
  const { state, county } = values
  if ((state === undefined) !== (county === undefined)) {
    throw new UsageError(
      `${state === undefined ? '--state' : '--county'} is missing: both --state XX and --county NAME are needed to create a source`,
    )
  }
  const baseUrl = values['base-url'] ?? ''
  if (baseUrl !== '' && URL.parse(baseUrl)?.protocol !== 'https:')
    throw new UsageError(`--base-url takes the https URL of the file, not "${baseUrl}"`)
  const created =
    state === undefined || county === undefined
      ? null
      : { source, state: stateCode('--state', state), countyName: county.trim(), baseUrl }
  if (created?.countyName === '') throw new UsageError('--county takes the name of a county')
  return async (sql) => {
    const found = await findSourceState(sql, source)
    if (found === 'retired') throw new ServiceError('conflict', `--source: ${describeRetired(source)}`)
    if (found === 'listed') return (options) => ingestParcels(sql, source, options)
    if (created === null) {
      throw new ServiceError(
        'not_found',
        `--source: there is no source "${source}"; add --state XX --county NAME to create it`,
      )
    }
    return async (options) => {
      let isCreated = false
      const beforeWriting = async () => {
        await createSource(sql, created)
        isCreated = true
      }
      const summary = await ingestParcels(sql, source, { ...options, beforeWriting })
      console.error(
        isCreated
          ? `created the source ${source}: ${created.countyName}, ${created.state}, inactive`
          : `the source ${source} was not created, because no parcel was loaded`,
      )
      return summary
    }
  }
}

function readEntityTarget(values: Values): Target {
  if (values.jurisdiction === undefined)
    throw new UsageError("--jurisdiction is missing: the two-letter code of the registry's state")
  if (values.duplicates === 'merge') throw new UsageError('--duplicates merge belongs to `ingest parcels`')
  if (values.complete) throw new UsageError('--complete belongs to `ingest parcels`; entities take --jurisdiction')
  for (const name of ['source', 'state', 'county', 'base-url', 'boundary', 'as-of'] as const) {
    if (values[name] !== undefined)
      throw new UsageError(`--${name} belongs to \`ingest parcels\`; entities take --jurisdiction`)
  }
  const jurisdiction = stateCode('--jurisdiction', values.jurisdiction)
  return async (sql) => (options) => ingestEntities(sql, jurisdiction, options)
}

function readSum(values: Values): ParcelFieldName[] {
  if (values.sum === undefined) return []
  if (values.duplicates !== 'merge') throw new UsageError('--sum belongs to --duplicates merge')
  return values.sum.split(',').map((name) => oneOf('--sum', name.trim(), SUMMABLE_FIELDS))
}

function stateCode(option: string, text: string): string {
  const code = text.toUpperCase()
  if (!/^[A-Z]{2}$/.test(code)) throw new UsageError(`${option} takes two letters, such as OR, not "${text}"`)
  return code
}

function isoDate(option: string, text: string): string {
  const date = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text)
    throw new UsageError(`${option} takes a date, such as 2026-01-31, not "${text}"`)
  return text
}

function oneOf<Choice extends string>(option: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) throw new UsageError(`${option} takes one of ${choices.join(', ')}, not "${text}"`)
  return choice
}

/** The given maps. Fields on the command line replace those of files. An invalid map is a usage error. */
async function readMap(values: Values, fields: Fields): Promise<Mapping[]> {
  const texts = values.map ?? []
  const isPair = (text: string) => text.includes('=') || text.trimStart().startsWith('{')
  const files = [
    ...texts.filter((text) => !isPair(text)).map((path) => ({ option: '--map', path })),
    ...(values['map-file'] ?? []).map((path) => ({ option: '--map-file', path })),
  ]
  const [file, ...more] = files
  if (more.length > 0) throw new UsageError(`--map takes one file, not ${files.map(({ path }) => path).join(', ')}`)
  const given = await orUsageError('--map', () => parseFieldMap(texts.filter(isPair).join('\n'), fields))
  const fromFile = file === undefined ? [] : await orUsageError(file.option, () => readMapFile(file.path, fields))
  return replaceFields(fromFile, given)
}

async function orUsageError<Result>(option: string, read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(`${option}: ${error.message}`) : error
  }
}

function replaceFields(map: readonly Mapping[], by: readonly Mapping[]): Mapping[] {
  return [...map.filter(({ target }) => !by.some((mapping) => mapping.target === target)), ...by]
}

/** The map of a preset needs the columns of the file, because shapefiles truncate their names. */
async function completeWithPreset(
  preset: PresetName,
  given: Mapping[],
  file: readonly string[],
  { format = null, encoding = null, layer = null, crs }: Omit<IngestOptions, 'file' | 'map'>,
): Promise<Mapping[]> {
  const { columns } = await sampleColumns(file, { format, encoding, layer, coordinates: new Coordinates(crs ?? null) })
  return replaceFields(
    applyPreset(
      preset,
      columns.map(({ name }) => name),
    ),
    given,
  )
}

/** The given options that a load needs, too, for the command that a preview prints. */
function readingOptionsOf(values: Values): string[] {
  const names = ['crs', 'layer', 'format', 'encoding', 'boundary', 'duplicates', 'sum', 'broken-geometry'] as const
  return names.flatMap((name) => {
    const value = values[name]
    return value === undefined || value === 'reject' ? [] : [`--${name}`, value]
  })
}

/** How many rows to check. Undefined: the default. Null: all. */
function readRowCount(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (text === 'all') return null
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new UsageError(`--rows takes a number or all, not "${text}"`)
  return count
}

function describeRoll(summary: RollSummary, options: Omit<RollOptions, 'file'>): string {
  const isHeld = summary.load?.status === 'held'
  const emptied = summary.emptied > 0 ? `, ${formatCount(summary.emptied)} without their former accounts` : ''
  const seen = summary.rejected + summary.withoutParcel > 0 ? `: see ${options.rejectsFile}` : ''
  const missing = summary.withoutRow > 0 ? `: see ${options.parcelsWithoutRowFile}` : ''
  const seconds = summary.durationMs / 1000
  return [
    `${countNoun(summary.read, 'row')} read: ${countNoun(summary.accounts, 'account')} of ${countNoun(summary.parcels, 'parcel')} (${formatCount(summary.updated)} ${isHeld ? 'held' : 'updated'}, ${formatCount(summary.unchanged)} unchanged${emptied})`,
    `rows without a parcel ${formatCount(summary.withoutParcel)}, rejected ${formatCount(summary.rejected)}${seen}`,
    `parcels without a row ${formatCount(summary.withoutRow)}${missing}; ${seconds.toFixed(1)} s, ${formatCount(Math.round(summary.read / seconds))} rows/s`,
  ].join('\n')
}

function describe(summary: IngestSummary, options: Pick<IngestOptions, 'rejectsFile'>): string {
  const isHeld = summary.load?.status === 'held'
  const written = summary.inserted + summary.updated
  const retired = summary.retired > 0 ? `, ${formatCount(summary.retired)} ${isHeld ? 'to retire' : 'retired'}` : ''
  const seconds = summary.durationMs / 1000
  const named = summary.rejected + summary.withoutGeometry > 0 ? `: see ${options.rejectsFile}` : ''
  const without =
    summary.withoutGeometry > 0 ? `, ${formatCount(summary.withoutGeometry)} loaded without their broken geometry` : ''
  const repaired = summary.repaired > 0 ? `; ${countNoun(summary.repaired, 'geometry', 'geometries')} repaired` : ''
  const merged = summary.merged > 0 ? `, ${formatCount(summary.merged)} merged into others` : ''
  return `${countNoun(summary.read, 'row')} read: ${formatCount(written)} ${isHeld ? 'held' : 'written'} (${formatCount(summary.inserted)} inserted, ${formatCount(summary.updated)} updated), ${formatCount(summary.unchanged)} unchanged${retired}, ${formatCount(summary.rejected)} rejected${merged}${without}${named}${repaired}; ${seconds.toFixed(1)} s, ${formatCount(Math.round(summary.read / seconds))} rows/s`
}
