import type { ParcelAccount } from '../../../core/parcel-accounts'
import { openTemporaryDatabase } from '../rows/temporary-database'

export interface AccountsOfParcel {
  id: string
  /** The line of its first row. */
  line: number
  accounts: ParcelAccount[]
}

/**
 * The parcels of a source, and the rows of a roll for them. They wait here until the roll is read to the end, because the rows of a parcel
 * can be far apart. Their number does not change the memory that this takes.
 */
export class RollRows {
  readonly #database = openTemporaryDatabase(
    'create table stored.rows (id text, account text, line integer, content text, primary key (id, account, content, line)) without rowid',
  )
  readonly #insert
  readonly #find
  readonly #insertParcel
  readonly #findParcel
  readonly #countRow

  constructor() {
    const database = this.#database
    database.run(
      'create table stored.parcels (id text primary key, has_accounts integer, rows integer not null default 0) without rowid',
    )
    this.#insert = database.query<null, [string, string, number, string]>(
      'insert into stored.rows (id, account, line, content) values (?, ?, ?, ?)',
    )
    this.#find = database.query<{ line: number }, [string, string]>(
      "select min(line) as line from stored.rows where id = ? and account = ? and account <> '' having count(*) > 0",
    )
    this.#insertParcel = database.query<null, [string, number]>(
      'insert into stored.parcels (id, has_accounts) values (?, ?) on conflict do nothing',
    )
    this.#findParcel = database.query<{ rows: number }, [string]>('select rows from stored.parcels where id = ?')
    this.#countRow = database.query<null, [string]>('update stored.parcels set rows = rows + 1 where id = ?')
  }

  addParcel(id: string, hasAccounts: boolean): void {
    this.#insertParcel.run(id, hasAccounts ? 1 : 0)
  }

  /** How many rows a parcel has so far. Null: there is no such parcel. */
  countRows(id: string): number | null {
    return this.#findParcel.get(id)?.rows ?? null
  }

  /** The line of an earlier row with the same account of the same parcel. Null: there is none. */
  findAccount(id: string, accountId: string | null): number | null {
    return accountId === null ? null : (this.#find.get(id, accountId)?.line ?? null)
  }

  add(id: string, line: number, account: ParcelAccount): void {
    this.#insert.run(id, account.account_id ?? '', line, JSON.stringify(account))
    this.#countRow.run(id)
  }

  /** Parcels with rows, in the order of their ids. Their accounts are in the order of their ids and their content, so the order of the file does not matter. */
  *parcels(): Generator<AccountsOfParcel> {
    const rows = this.#database.query<{ account: string; line: number; content: string }, [string]>(
      'select line, content from stored.rows where id = ? order by account, content, line',
    )
    const ids = this.#database.query<{ id: string }, []>('select id from stored.parcels where rows > 0 order by id')
    for (const { id } of ids.iterate()) {
      const found = rows.all(id)
      yield {
        id,
        line: Math.min(...found.map(({ line }) => line)),
        accounts: found.map(({ content }) => JSON.parse(content) as ParcelAccount),
      }
    }
  }

  /** Parcels without a row. `hadAccounts`: only those that have accounts of an earlier roll. */
  *parcelsWithoutRow(hadAccounts = false): Generator<string> {
    const ids = this.#database.query<{ id: string }, [number]>(
      'select id from stored.parcels where rows = 0 and has_accounts >= ? order by id',
    )
    for (const { id } of ids.iterate(hadAccounts ? 1 : 0)) yield id
  }

  [Symbol.dispose](): void {
    this.#database[Symbol.dispose]()
  }
}
