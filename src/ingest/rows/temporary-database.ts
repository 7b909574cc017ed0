import { Database } from 'bun:sqlite'

/** Memory for the pages of a temporary database. */
const CACHE_KIB = 32 * 1024

/**
 * A private SQLite database with this table in its schema `stored`. Its pages go to a temporary file when they exceed the cache, so that
 * memory does not depend on the number of rows.
 */
export const openTemporaryDatabase = (createTable: string): Database & Disposable => {
  const database = new Database(':memory:')
  // An empty name is a temporary file, deleted when it is closed (https://sqlite.org/inmemorydb.html#temp_db).
  database.run("attach '' as stored")
  database.run('pragma stored.journal_mode = off')
  database.run('pragma stored.synchronous = off')
  database.run(`pragma stored.cache_size = -${CACHE_KIB}`)
  // A sort that exceeds the cache also goes to a file.
  database.run('pragma temp_store = file')
  database.run(createTable)
  database.run('begin')
  return Object.assign(database, {
    [Symbol.dispose]: () => {
      database.run('rollback')
      database.close()
    },
  })
}
