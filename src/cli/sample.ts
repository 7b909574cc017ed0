import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { parcelFields } from '../../core/parcel-fields'
import { connectDatabase } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { MOST_SAMPLE_PARCELS, sampleParcels } from '../../dev/sample-county/county'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { migrate } from '../../drizzle/migrate'
import type { ParcelInput, UpsertCounts } from '../../drizzle/records'
import { readConfig } from '../config'
import { useComponents } from '../roles/components'
import { runCommand, UsageError } from './command'
import { createProgress } from './progress'

const USAGE = `bun run sample [--parcels N] [--entities N]   load an invented county into the service's database
bun run sample [--parcels N] --out FILE       write its parcels as GeoJSON lines instead; - is standard output

  --parcels N    number of parcels, 1 to ${MOST_SAMPLE_PARCELS} (5000)
  --entities N   number of companies in the state's registry, 0 to 1000000 (6 per 100 parcels)

The same numbers give the same county every time; a larger county begins with the same parcels as a smaller one.`

const readCount = (text: string | undefined, name: string, fallback: number, least: number, most: number): number => {
  if (text === undefined) return fallback
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < least || count > most) {
    throw new UsageError(
      `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}\n\n${USAGE}`,
    )
  }
  return count
}

/** One GeoJSON Feature (RFC 7946) whose properties are named as the columns of `parcels`. */
const encodeFeature = ({ sourceParcelId, geom, bbox, ...fields }: ParcelInput): string => {
  const properties = {
    source_parcel_id: sourceParcelId,
    ...Object.fromEntries(parcelFields.map(({ name, key }) => [name, fields[key]])),
  }
  return JSON.stringify({ type: 'Feature', bbox, properties, geometry: geom })
}

const LINES_PER_CHUNK = 500

function* encodeLines(parcels: number, onProgress: (done: number) => void): Generator<string> {
  let lines: string[] = []
  let done = 0
  for (const parcel of sampleParcels({ parcels })) {
    lines.push(encodeFeature(parcel))
    if (++done % LINES_PER_CHUNK !== 0 && done < parcels) continue
    yield `${lines.join('\n')}\n`
    lines = []
    onProgress(done)
  }
}

const writeFile = async (parcels: number, out: string): Promise<void> => {
  using progress = createProgress('writing parcels', parcels)
  const to = out === '-' ? process.stdout : createWriteStream(out)
  try {
    await pipeline(Readable.from(encodeLines(parcels, progress.update)), to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    // A reader that stops early (`| head`) is not an error.
    if (error.code === 'EPIPE') return progress.finish('the reader stopped')
    throw new ServiceError('bad_input', `--out: ${error.message}`, { cause: error })
  }
  progress.finish(`${parcels} parcels written to ${out === '-' ? 'standard output' : out}`)
}

const load = async (parcels: number, entities: number): Promise<void> => {
  const components = await useComponents(readConfig(), console.error)
  const sql = connectDatabase(components.databaseUrl, { max: 2, applicationName: 'sample' })
  try {
    await migrate(components.databaseUrl)
    using progress = createProgress('loading parcels', parcels)
    const stored = await seedSampleCounty(sql, { parcels, entities, onProgress: progress.update })
    progress.finish(`parcels: ${describe(stored.parcels)}\nentities: ${describe(stored.entities)}`)
  } finally {
    await sql.end()
    await components.stop()
  }
}

const describe = ({ inserted, updated, unchanged }: UpsertCounts): string =>
  `${inserted} new, ${updated} changed, ${unchanged} unchanged`

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      parcels: { type: 'string' },
      entities: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const parcels = readCount(values.parcels, '--parcels', 5000, 1, MOST_SAMPLE_PARCELS)
  const entities = readCount(values.entities, '--entities', Math.ceil(parcels * 0.06), 0, 1_000_000)
  if (values.out === '') throw new UsageError(`--out must be a file to write, or - for standard output\n\n${USAGE}`)
  if (values.out === undefined) await load(parcels, entities)
  else await writeFile(parcels, values.out)
})
