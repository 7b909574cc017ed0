import { basename } from 'node:path'
import type { LoadedColumn } from '../../core/parcels/fields'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import type { EntityInput, ParcelInput } from '../../drizzle/records'
import { FileLoad } from '../loads/file-load'
import { Coordinates } from './coordinates/coordinates'
import { compileFieldMap, completeFieldMap } from './fields/compile-map'
import { ENTITY_FIELDS } from './fields/fields'
import { retryOf, runPipeline } from './pipeline/pipeline'
import type { IngestSummary } from './pipeline/summary'
import { readParcels } from './read-parcels'
import type { ReadingOptions } from './reading-options'
import { type Rejects, RejectsFile } from './rows/rejects-file'
import { whileAvailable } from './writing/while-available'

/** How a load is written. */
interface LoadOptions extends Pick<ReadingOptions, 'file' | 'signal'> {
  /** The file lists all parcels of the source, so the others are retired. */
  isComplete?: boolean
  /** The date of the data: YYYY-MM-DD. */
  asOf?: string | null
  /** Who started it. Default: the operator at the command line. */
  createdBy?: string
  say?: (line: string) => void
  retryForMs?: number
  /** How long other processes wait for a load whose process does not respond. */
  leaseMs?: number
}

export interface IngestOptions extends ReadingOptions, LoadOptions {
  /** A CSV for the rejected rows. Null: only `rejects` gets them. */
  rejectsFile: string | null
  rejects?: Rejects
  /** Called once, before the first record is written. */
  beforeWriting?: () => Promise<void>
}

/** Loads a file of parcels into `source`, which must exist. @throws ServiceError `bad_input`, `server_unavailable` */
export const ingestParcels = async (sql: Sql, source: string, options: IngestOptions): Promise<IngestSummary> => {
  const load = createFileLoad(sql, source, options)
  using file = options.rejectsFile === null ? null : new RejectsFile(options.rejectsFile)
  const rejects = options.rejects ?? file ?? { add: () => {} }
  const parcels = readParcels(options, new Coordinates(options.crs ?? null))
  return await runPipeline<ParcelInput>(
    { ...options, rejects },
    {
      ...parcels,
      warnings: () => [...parcels.warnings(), ...load.warnings],
      upsert: (records, cleared) => load.write(records, cleared as LoadedColumn[]),
      onRejected: (id) => load.addRejected(id),
      finish: async ({ read, inserted, updated, unchanged, rejected }, end) => {
        const outcome = await load.finish({ read, inserted, updated, unchanged, rejected }, end)
        if (outcome === null) return { load: null }
        const { counts } = outcome
        return {
          load: outcome,
          inserted: counts.inserted,
          updated: counts.updated,
          unchanged: counts.unchanged,
          retired: counts.retired,
        }
      },
      abandon: (reason) => load.abandon(reason),
    },
  )
}

/** The load that the records of files are written to. */
export const createFileLoad = (sql: Sql, source: string, options: LoadOptions): FileLoad =>
  new FileLoad(
    sql,
    {
      source,
      kind: 'ingest',
      isComplete: options.isComplete ?? false,
      asOf: options.asOf ?? null,
      file: [options.file]
        .flat()
        .map((path) => basename(path))
        .join(', '),
      createdBy: options.createdBy ?? 'operator',
    },
    {
      say: options.say ?? (() => {}),
      signal: options.signal ?? null,
      leaseMs: options.leaseMs,
      step: (run) => whileAvailable(run, retryOf(options)),
    },
  )

/** Loads a file of a state's registry. Ignores geometry. @throws ServiceError `bad_input`, `server_unavailable` */
export const ingestEntities = async (
  sql: Sql,
  jurisdiction: string,
  options: IngestOptions,
): Promise<IngestSummary> => {
  const readRecord = compileFieldMap(completeFieldMap(options.map, ENTITY_FIELDS), ENTITY_FIELDS)
  using file = options.rejectsFile === null ? null : new RejectsFile(options.rejectsFile)
  const rejects = options.rejects ?? file ?? { add: () => {} }
  return await runPipeline<EntityInput>(
    { ...options, rejects },
    {
      fields: ENTITY_FIELDS,
      // Entities have no coordinates, so their file does not have to declare a coordinate system.
      coordinates: new Coordinates('EPSG:4326'),
      idOf: (entity) => entity.registryNumber,
      withId: (entity, id) => ({ ...entity, registryNumber: id }),
      read: (row, entity, _, onLeftOut) => {
        readRecord(row, entity, onLeftOut)
        return () => 'none'
      },
      contentOf: (entity) => JSON.stringify(entity),
      merge: () => {
        throw new ServiceError('bad_input', 'only parcels can be merged')
      },
      sizeOf: () => 0,
      warnings: () => [],
      upsert: (entities, cleared) => upsertEntities(sql, jurisdiction, entities, cleared),
      onRejected: () => {},
      finish: async () => ({ load: null }),
      abandon: async () => null,
    },
  )
}
