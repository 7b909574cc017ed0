import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { describeFileError } from '../../core/files/describe-file-error'
import { ServiceError } from '../../core/service-error'
import { countNoun } from '../../core/text/count-noun'
import { MAX_SAMPLE_PARCELS, sampleParcels } from '../../dev/sample-county/county'
import { encodeFeature } from '../../dev/sample-county/encode-feature'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { sampleRolls } from '../../dev/sample-county/rolls'
import type { ParcelInput, UpsertCounts } from '../../drizzle/records'
import { runCommand, UsageError } from './command/command'
import { wholeNumber } from './command/option-values'
import { useDatabase } from './command/use-database'
import { createProgress } from './terminal/progress'
import { wrapUsage } from './terminal/wrap-usage'

/** The year of the county that has `sampleParcels`, and the last one that can be written. */
const YEARS = { first: 2020, last: 2039 }
/** All parcels of a later year are in memory at the same time, about 2 KB each. */
const MAX_PARCELS_OF_A_YEAR = 200_000

const USAGE =
  wrapUsage(`bun run sample [--parcels N] [--entities N]   load an invented county into the service's database
bun run sample [--parcels N] [--year Y] --out FILE
                                              write its parcels as GeoJSON lines instead; - is standard output

  --parcels N    number of parcels, 1 to ${MAX_SAMPLE_PARCELS}; default: 5000
  --year Y       the county's list of another year, ${YEARS.first} to ${YEARS.last}, with at most ${MAX_PARCELS_OF_A_YEAR} parcels. From year to year, lots are sold, reassessed, split and merged; some leave the list and return later. Default: ${YEARS.first}
  --entities N   number of companies in the state's registry, 0 to 1000000; default: 6 per 100 parcels

The same numbers give the same county every time; a larger county begins with the same parcels as a smaller one.`)

const LINES_PER_CHUNK = 500

function* encodeLines(parcels: Iterable<ParcelInput>, onProgress: (done: number) => void): Generator<string> {
  let lines: string[] = []
  let done = 0
  for (const parcel of parcels) {
    lines.push(encodeFeature(parcel))
    if (++done % LINES_PER_CHUNK !== 0) continue
    yield `${lines.join('\n')}\n`
    lines = []
    onProgress(done)
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}

/** The list of `year` of a county that has `parcels` parcels in the first year. */
const listYear = (parcels: number, year: number): ParcelInput[] => {
  const years = Array.from({ length: year - YEARS.first + 1 }, (_, index) => YEARS.first + index)
  let last: ParcelInput[] = []
  for (const roll of sampleRolls({ parcels, years })) last = roll.parcels
  return last
}

const writeFile = async (parcels: number, year: number, out: string): Promise<void> => {
  const later = year === YEARS.first ? null : listYear(parcels, year)
  const rows = later?.length ?? parcels
  using progress = createProgress('writing parcels', rows)
  const to = out === '-' ? process.stdout : createWriteStream(out)
  try {
    await pipeline(Readable.from(encodeLines(later ?? sampleParcels({ parcels }), progress.update)), to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    // A reader that stops early (`| head`) is not an error.
    if (error.code === 'EPIPE') return progress.finish('the reader stopped')
    throw new ServiceError('bad_input', `--out: ${describeFileError(error, out) ?? error.message}`, { cause: error })
  }
  progress.finish(`${countNoun(rows, 'parcel')} written to ${out === '-' ? 'standard output' : out}`)
}

const load = (parcels: number, entities: number): Promise<void> =>
  useDatabase({ applicationName: 'sample', max: 2, needsData: false }, async (sql) => {
    using progress = createProgress('loading parcels', parcels)
    const stored = await seedSampleCounty(sql, { parcels, entities, onProgress: progress.update })
    progress.finish(`parcels: ${describe(stored.parcels)}\nentities: ${describe(stored.entities)}`)
  })

const describe = ({ inserted, updated, unchanged }: UpsertCounts): string =>
  `${inserted} new, ${updated} changed, ${unchanged} unchanged`

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      parcels: { type: 'string' },
      entities: { type: 'string' },
      year: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const parcels = wholeNumber('--parcels', values.parcels ?? '5000', 1, MAX_SAMPLE_PARCELS)
  const entities = wholeNumber('--entities', values.entities ?? String(Math.ceil(parcels * 0.06)), 0, 1_000_000)
  if (values.out === '') throw new UsageError(`--out must be a file to write, or - for standard output`)
  const year = wholeNumber('--year', values.year ?? String(YEARS.first), YEARS.first, YEARS.last)
  if (values.year !== undefined && values.out === undefined) throw new UsageError('--year needs --out FILE')
  if (values.entities !== undefined && values.out !== undefined)
    throw new UsageError('--entities does not apply with --out: the file has only parcels')
  if (year !== YEARS.first && parcels > MAX_PARCELS_OF_A_YEAR) {
    throw new UsageError(`with --year, --parcels must be at most ${MAX_PARCELS_OF_A_YEAR}`)
  }
  if (values.out === undefined) await load(parcels, entities)
  else await writeFile(parcels, year, values.out)
})
