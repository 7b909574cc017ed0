import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

export interface SortedRow {
  /** JSON text. */
  values: string
  bytes: Uint8Array<ArrayBuffer> | null
}

/**
 * Sorts rows by a number on disk, because there can be more than fit into memory. SQLite sorts only the keys; a temporary file has the
 * rows. Memory use is SQLite's cache.
 */
export const createRowSorter = (workDir: string, reserve: (bytes: number) => void) => {
  const path = join(workDir, `sort-${randomUUID()}.sqlite`)
  const file = new Database(path, { create: true, strict: true })
  // The file is temporary, so it needs no journal.
  file.run('pragma journal_mode = off')
  file.run('pragma synchronous = off')
  file.run('pragma locking_mode = exclusive')
  file.run(`pragma cache_size = -${CACHE_KB}`)
  file.run('create table rows (key integer not null, row text not null, bytes blob)')
  const insert = file.prepare('insert into rows (key, row, bytes) values (?, ?, ?)')
  const insertAll = file.transaction((rows: readonly (SortedRow & { key: number })[]) => {
    for (const { key, values, bytes } of rows) {
      reserve(values.length + (bytes?.length ?? 0))
      insert.run(key, values, bytes)
    }
  })
  return {
    add: (rows: readonly (SortedRow & { key: number })[]): void => insertAll(rows),
    *sorted(): Generator<SortedRow> {
      file.run('create index by_key on rows (key)')
      yield* file
        .query<SortedRow, []>('select row as "values", bytes from rows indexed by by_key order by key, rowid')
        .iterate()
    },
    close: (): void => {
      insert.finalize()
      file.close()
      rmSync(path, { force: true })
    },
  }
}

const CACHE_KB = 8 * 1024
