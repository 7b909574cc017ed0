import { MAX_ACCOUNTS } from '../../../core/parcels/accounts'
import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { listParcelIds } from '../../../drizzle/queries/parcels/list-parcel-ids'
import { Coordinates } from '../coordinates/coordinates'
import { ColumnWatch } from '../fields/column-watch'
import { compileFieldMap, completeFieldMap } from '../fields/compile-map'
import { LeftOutValues } from '../fields/left-out-values'
import type { ReadingOptions } from '../reading-options'
import { Places } from '../rows/places'
import { readRows } from '../rows/read-rows'
import { faultOf } from '../rows/source-row'
import { ROLL_FIELDS, type RollRow, toAccount } from './roll-fields'
import type { AccountsOfParcel, RollRows } from './roll-rows'

export interface RollReading
  extends Pick<ReadingOptions, 'file' | 'map' | 'format' | 'encoding' | 'layer' | 'onProgress' | 'signal'> {
  /** Reads only the first rows. */
  maxRows?: number
}

/** Called for each row that is not loaded, in any order. `isWithoutParcel`: the source does not have its parcel. */
export type OnRejected = (row: { line: number; reason: string; id: string; isWithoutParcel: boolean }) => void

const PAGE_PARCELS = 10_000

/** Adds the listed parcels of a source. @throws ServiceError `bad_input` for a source without parcels */
export const addParcels = async (sql: Sql, source: string, rows: RollRows): Promise<void> => {
  let after = ''
  for (;;) {
    const page = await listParcelIds(sql, { source, after, limit: PAGE_PARCELS })
    rows.addParcels(page)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_PARCELS) {
      if (after === '' && last === undefined) {
        throw new ServiceError('bad_input', `${source} has no parcels: load them first, with bun run ingest parcels`)
      }
      return
    }
    after = last.source_parcel_id
  }
}

/** Reads a roll. Accounts go to `rows`; other rows go to `onRejected`. */
export class RollReader {
  read = 0
  lastLine = 0
  isStopped = false
  readonly columns: ColumnWatch
  readonly places: Places
  readonly #leftOut = new LeftOutValues()

  constructor(
    readonly source: string,
    readonly rows: RollRows,
    readonly options: RollReading,
    readonly onRejected: OnRejected,
  ) {
    const map = completeFieldMap(options.map, ROLL_FIELDS)
    this.columns = new ColumnWatch(map, { map: options.map, boundary: null }, ROLL_FIELDS)
    this.places = new Places([options.file].flat().length > 1)
  }

  /** @throws ServiceError `bad_input` for a file that is damaged */
  async readFiles(): Promise<void> {
    const { options, columns, places } = this
    const { maxRows = Number.POSITIVE_INFINITY } = options
    const readRecord = compileFieldMap(completeFieldMap(options.map, ROLL_FIELDS), ROLL_FIELDS)
    for await (const group of readRows(options.file, {
      format: options.format ?? null,
      encoding: options.encoding ?? null,
      layer: options.layer ?? null,
      // A roll has no coordinates, so its file does not have to declare a coordinate system.
      coordinates: new Coordinates('EPSG:4326'),
      onHeader: (header) => columns.checkHeader(header),
      onFile: (file) => places.begin(file),
      ...(options.onProgress === undefined ? {} : { onBytes: options.onProgress }),
    })) {
      for (const row of group) {
        if (options.signal?.aborted || this.read >= maxRows) {
          this.isStopped = true
          return
        }
        this.read++
        this.lastLine = row.line
        if ('reason' in row) this.onRejected({ ...row, id: '', isWithoutParcel: false })
        else this.#accept(row, readRecord)
      }
    }
  }

  #accept(row: { line: number; properties: Record<string, unknown> }, readRecord: ReturnType<typeof compileFieldMap>) {
    const { line } = row
    const place = () => this.places.describe(line)
    this.columns.see(row.properties, place)
    const record = {} as RollRow & Record<string, unknown>
    try {
      readRecord(row, record, (field, fault) => this.#leftOut.add(field, place(), fault.message))
      this.rows.add(record.sourceParcelId, line, toAccount(record))
    } catch (error) {
      this.onRejected({ line, reason: faultOf(error).message, id: record.sourceParcelId ?? '', isWithoutParcel: false })
    }
  }

  /** Parcels with their accounts. Call it after the files are read. */
  parcels(): Generator<AccountsOfParcel> {
    return this.rows.parcels(({ id, line, reason }) => {
      const isWithoutParcel = reason === 'no parcel'
      const text = isWithoutParcel
        ? `${this.source} has no parcel with this id`
        : reason === 'too many accounts'
          ? `the parcel has more than ${MAX_ACCOUNTS} accounts`
          : `the account ${reason.account} of this parcel is also on ${this.places.describe(reason.firstLine)}`
      this.onRejected({ line, reason: text, id, isWithoutParcel })
    })
  }

  warnings(): string[] {
    return [...this.columns.warnings(), ...this.#leftOut.warnings()]
  }
}
