import { Database, SQLiteError } from 'bun:sqlite'
import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { downloadName } from '../ingest/inputs/download'

/**
 * Claims the download of this URL in `folder` until it is disposed. Null: another work has it, in this or another process.
 *
 * The claim is the lock of an SQLite file. The kernel frees it when the process ends, even after a crash. The file is not in the folder of
 * the download, because removing it would let two works lock two files of the same name.
 */
export const claimDownload = (folder: string, address: string): Disposable | null => {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${downloadName(address)}.lock`)
  const file = new Database(path)
  try {
    file.run('pragma journal_mode = memory')
    file.run('begin exclusive')
  } catch (error) {
    file.close()
    if (error instanceof SQLiteError) return null
    throw error
  }
  // `removeOldFiles` removes old ones.
  utimesSync(path, new Date(), new Date())
  return {
    [Symbol.dispose]: () => {
      file.run('rollback')
      file.close()
    },
  }
}
