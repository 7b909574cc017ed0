import { openTemporaryDatabase } from './temporary-database'

/** The rows of one id. */
export interface RepeatedId {
  id: string
  rows: number
  /** Total characters of their content. */
  size: number
}

export interface StoredRow<Item> {
  line: number
  item: Item
}

/**
 * Rows whose id is repeated in a file. They wait here until the file is read to the end, because they can be far apart. Memory use does
 * not depend on the number of rows.
 */
export class RepeatedRows<Item> {
  readonly #database = openTemporaryDatabase(
    'create table stored.rows (id text, line integer, content text, item text, primary key (id, line)) without rowid',
  )
  readonly #insert = this.#database.query<null, [string, number, string, string]>(
    'insert into stored.rows (id, line, content, item) values (?, ?, ?, ?)',
  )

  /** `content`: rows of one id are sorted by it for `inOrderOfContent`. */
  add(id: string, line: number, item: Item, content: string): void {
    this.#insert.run(id, line, content, JSON.stringify(item))
  }

  ids(): IterableIterator<RepeatedId> {
    return this.#database
      .query<RepeatedId, []>(
        'select id, count(*) as rows, sum(length(item)) as size from stored.rows group by id order by id',
      )
      .iterate()
  }

  *inOrderOfFile(id: string): Generator<StoredRow<Item>> {
    yield* this.#list(id, 'line')
  }

  *inOrderOfContent(id: string): Generator<StoredRow<Item>> {
    yield* this.#list(id, 'content, line')
  }

  *#list(id: string, order: string): Generator<StoredRow<Item>> {
    const rows = this.#database
      .query<{ line: number; item: string }, [string]>(
        `select line, item from stored.rows where id = ? order by ${order}`,
      )
      .iterate(id)
    for (const { line, item } of rows) yield { line, item: JSON.parse(item) as Item }
  }

  [Symbol.dispose](): void {
    this.#database[Symbol.dispose]()
  }
}
