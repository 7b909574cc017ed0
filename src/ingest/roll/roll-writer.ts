import type { ParcelFieldName } from '../../../core/parcels/fields'
import type { ParcelInput } from '../../../drizzle/records'
import type { FileLoad } from '../../loads/file-load'
import { Batches } from '../writing/batches'
import { type WriteOptions, writeBatch } from '../writing/write-batch'
import type { RollReader } from './read-roll'
import { summarizeAccounts } from './summarize-accounts'

const BATCH_ACCOUNTS = 5_000

/** Writes the parcels of a roll as records of a load, in batches, and counts them. */
export class RollWriter {
  /** Parcels that got accounts, and their accounts. */
  parcels = 0
  accounts = 0
  /** Parcels that lost the accounts of an earlier roll. */
  emptied = 0
  updated = 0
  unchanged = 0
  readonly #batches: Batches<ParcelInput>

  /** `summarized`: fields that a parcel gets from its accounts, so that it has none of them if no account has a value. */
  constructor(
    load: FileLoad,
    readonly summarized: readonly ParcelFieldName[],
    readonly signal: AbortSignal | undefined,
    options: Pick<WriteOptions<ParcelInput>, 'onRefused' | 'onWaiting' | 'retryForMs'>,
  ) {
    const write: WriteOptions<ParcelInput> = {
      ...options,
      upsert: (items) => load.write(items, ['accounts', ...summarized]),
      onWritten: ({ updated, unchanged }) => {
        this.updated += updated
        this.unchanged += unchanged
      },
    }
    this.#batches = new Batches<ParcelInput>(
      ({ accounts }) => accounts?.length ?? 0,
      (batch) => writeBatch(batch, write),
      BATCH_ACCOUNTS,
    )
  }

  /** Gives the parcels of the roll their accounts, and the fields that are derived from them. */
  async writeAccounts(reader: RollReader): Promise<void> {
    for (const { id, line, accounts } of reader.parcels()) {
      if (this.signal?.aborted) return
      this.parcels++
      this.accounts += accounts.length
      const { fields, keeps } = summarizeAccounts(accounts)
      await this.#add(line, {
        sourceParcelId: id,
        accounts,
        ...fields,
        origin: { ...reader.places.originOf(line), ...(keeps.length === 0 ? {} : { keeps }) },
      })
    }
  }

  /** Removes the accounts of parcels without a row. The parcels keep their fields. `lastLine`: of the roll. */
  async removeAccounts(ids: Iterable<string>, lastLine: number): Promise<void> {
    for (const id of ids) {
      if (this.signal?.aborted) return
      this.emptied++
      // Each record of a load needs its own line number.
      const line = lastLine + this.emptied
      await this.#add(line, {
        sourceParcelId: id,
        origin: { line, place: 'no row of the roll', keeps: [...this.summarized, 'owner_names_all'] },
      })
    }
  }

  async #add(line: number, item: ParcelInput): Promise<void> {
    if (this.#batches.add({ line, item })) await this.#batches.flush()
  }

  /** Writes what is left, and waits for all batches. @throws what the writing of a batch threw */
  end(): Promise<void> {
    return this.#batches.end()
  }

  /** Waits for the batches in flight, failed or not. */
  settle(): Promise<void> {
    return this.#batches.settle()
  }
}
