import { MAX_ACCOUNTS, type ParcelAccount } from '../../../core/parcels/accounts'
import { openTemporaryDatabase } from '../rows/temporary-database'

export interface AccountsOfParcel {
  id: string
  /** The line of its first row. */
  line: number
  accounts: ParcelAccount[]
}

/** A row of the roll that does not become an account. */
export interface RefusedRow {
  id: string
  line: number
  reason: RefusedReason
}

/** `no parcel`: the source does not have the row's parcel. `account`: an earlier row, `firstLine`, has the same account. */
type RefusedReason = 'no parcel' | 'too many accounts' | { account: string; firstLine: number }

interface StoredRow {
  id: string
  line: number
  account: string
  content: string
  isKnown: number
}

/**
 * The parcels of a source, and the rows of a roll for them. They wait here until the roll is read to the end, because the rows of a
 * parcel can be far apart. They are sorted once, so each row needs only one insert. Memory use does not depend on their number.
 */
export class RollRows {
  readonly #database = openTemporaryDatabase(
    'create table stored.rows (id text, line integer, account text, content text)',
  )
  readonly #insert
  readonly #insertParcels
  readonly #findParcel

  constructor() {
    this.#database.run('create table stored.parcels (id text primary key, has_accounts integer not null) without rowid')
    this.#insert = this.#database.query<null, [string, number, string, string]>(
      'insert into stored.rows (id, line, account, content) values (?, ?, ?, ?)',
    )
    this.#insertParcels = this.#database.query<null, [string]>(
      'insert into stored.parcels (id, has_accounts) select value ->> 0, value ->> 1 from json_each(?) where true on conflict do nothing',
    )
    this.#findParcel = this.#database.query<{ id: string }, [string]>('select id from stored.parcels where id = ?')
  }

  addParcels(parcels: readonly { source_parcel_id: string; has_accounts: boolean }[]): void {
    this.#insertParcels.run(JSON.stringify(parcels.map((parcel) => [parcel.source_parcel_id, parcel.has_accounts])))
  }

  hasParcel(id: string): boolean {
    return this.#findParcel.get(id) !== null
  }

  countParcels(): number {
    return this.#database.query<{ n: number }, []>('select count(*) as n from stored.parcels').get()?.n ?? 0
  }

  add(id: string, line: number, account: ParcelAccount): void {
    this.#insert.run(id, line, account.account_id ?? '', JSON.stringify(account))
  }

  /**
   * Parcels with rows, in the order of their ids. Their accounts are in the order of their ids and their content, so the order of the
   * file does not matter. If several rows have the same account of a parcel, the first in the file counts.
   */
  *parcels(onRefused: (row: RefusedRow) => void): Generator<AccountsOfParcel> {
    const stored = this.#database.query<StoredRow, []>(
      `select r.id, r.line, r.account, r.content, p.id is not null as isKnown
       from stored.rows r left join stored.parcels p on p.id = r.id order by r.id, r.line`,
    )
    let rows: StoredRow[] = []
    let lines = new Map<string, number>()
    for (const row of stored.iterate()) {
      const { id, line, account } = row
      const [first] = rows
      if (first !== undefined && first.id !== id) {
        yield toParcel(first, rows)
        rows = []
        lines = new Map()
      }
      const firstLine = account === '' ? undefined : lines.get(account)
      if (row.isKnown === 0) onRefused({ id, line, reason: 'no parcel' })
      else if (rows.length >= MAX_ACCOUNTS) onRefused({ id, line, reason: 'too many accounts' })
      else if (firstLine !== undefined) onRefused({ id, line, reason: { account, firstLine } })
      else {
        rows.push(row)
        lines.set(account, line)
      }
    }
    const [first] = rows
    if (first !== undefined) yield toParcel(first, rows)
  }

  /** Parcels without a row. `hadAccounts`: only those that have accounts of an earlier roll. */
  *parcelsWithoutRow(hadAccounts = false): Generator<string> {
    const ids = this.#database.query<{ id: string }, [number]>(
      'select id from stored.parcels where has_accounts >= ? except select id from stored.rows order by id',
    )
    for (const { id } of ids.iterate(hadAccounts ? 1 : 0)) yield id
  }

  [Symbol.dispose](): void {
    this.#database[Symbol.dispose]()
  }
}

/** `rows` are in the order of their lines. */
const toParcel = ({ id, line }: StoredRow, rows: StoredRow[]): AccountsOfParcel => {
  const order = (one: StoredRow, other: StoredRow) =>
    compare(one.account, other.account) || compare(one.content, other.content)
  return { id, line, accounts: rows.sort(order).map(({ content }) => JSON.parse(content) as ParcelAccount) }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
