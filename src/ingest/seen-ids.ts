import { Database } from 'bun:sqlite'

/** Memory for the ids, for any number of them. */
const CACHE_KIB = 32 * 1024

/**
 * The ids seen so far in a file, exact and in bounded memory: a temporary, private SQLite database
 * whose pages go to disk when they exceed the cache. 1.5 µs per id (1,000,000 ids, November 2026). It is not in
 * PostgreSQL because it would take CPU from the load, and be lost if the server restarts during a load.
 */
export class SeenIds {
  readonly #database = new Database(':memory:')
  readonly #insert
  readonly #find
  readonly #count

  constructor() {
    // An empty name is a temporary file, deleted when it is closed (https://sqlite.org/inmemorydb.html#temp_db).
    this.#database.run("attach '' as seen")
    this.#database.run('pragma seen.journal_mode = off')
    this.#database.run('pragma seen.synchronous = off')
    this.#database.run(`pragma seen.cache_size = -${CACHE_KIB}`)
    this.#database.run(
      'create table seen.ids (id text primary key, line integer not null, copies integer not null default 1) without rowid',
    )
    this.#database.run('begin')
    this.#insert = this.#database.query<null, [string, number]>(
      'insert into seen.ids (id, line) values (?, ?) on conflict do nothing',
    )
    this.#find = this.#database.query<{ line: number }, [string]>('select line from seen.ids where id = ?')
    this.#count = this.#database.query<{ copies: number }, [string]>(
      'update seen.ids set copies = copies + 1 where id = ? returning copies',
    )
  }

  /** The line where `id` appeared before; null when this is the first time, which is then recorded. */
  claim(id: string, line: number): number | null {
    return this.#insert.run(id, line).changes === 1 ? null : (this.#find.get(id)?.line ?? null)
  }

  /** `id~2` for the second occurrence of an id, then `id~3`; skips numbers that another row has as its own id. */
  claimNumbered(id: string, line: number): string {
    while (true) {
      const numbered = `${id}~${this.#count.get(id)?.copies}`
      if (this.claim(numbered, line) === null) return numbered
    }
  }

  [Symbol.dispose](): void {
    this.#database.run('rollback')
    this.#database.close()
  }
}
