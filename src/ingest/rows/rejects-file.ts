import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAll } from '../../../core/files/all-bytes'
import { describeFileError } from '../../../core/files/describe-file-error'
import { ServiceError } from '../../../core/service-error'
import { csvCell } from '../../../core/text/csv-cell'
import { openTemporaryDatabase } from './temporary-database'

export interface Rejects {
  /** `line`: where the row is, as Places writes it. */
  add: (line: string, reason: string, id: string) => void
}

const FLUSH_CHARACTERS = 1 << 16

/**
 * A CSV that exists only if it has rows. A file of an earlier run is deleted. `header` includes its line break.
 *
 * @throws ServiceError `bad_input` when the file cannot be written
 */
export class ListFile {
  #descriptor: number | null = null
  #text = ''

  constructor(
    readonly path: string,
    readonly header: string,
  ) {
    // A missing folder is refused before the load, and not hours later at the first row.
    if (!existsSync(dirname(path))) throw new ServiceError('bad_input', `there is no folder ${dirname(path)}`)
    orServiceError(path, () => {
      if (beginsWith(path, header)) rmSync(path)
    })
  }

  add(...cells: readonly string[]): void {
    if (this.#descriptor === null) {
      this.#descriptor = orServiceError(this.path, () => openSync(this.path, 'w'))
      this.#text = this.header
    }
    this.#text += `${cells.map(csvCell).join(',')}\n`
    if (this.#text.length > FLUSH_CHARACTERS) this.#flush()
  }

  [Symbol.dispose](): void {
    if (this.#descriptor === null) return
    try {
      this.#flush()
    } finally {
      closeSync(this.#descriptor)
      this.#descriptor = null
    }
  }

  #flush(): void {
    const descriptor = this.#descriptor
    const text = this.#text
    this.#text = ''
    if (descriptor !== null) orServiceError(this.path, () => writeAll(descriptor, Buffer.from(text)))
  }
}

/** The rows that were not loaded. */
export class RejectsFile extends ListFile implements Rejects {
  constructor(path: string) {
    super(path, 'line,reason,source_parcel_id\n')
  }

  override add(line: string, reason: string, id: string): void {
    super.add(line, reason, id)
  }
}

/** Like `RejectsFile`, for rows that are not rejected in the order of their lines. Writes the file when it is disposed. */
export class SortedRejects {
  readonly #file
  readonly #database = openTemporaryDatabase(
    'create table stored.rejects (line integer, place text, reason text, id text)',
  )
  readonly #insert = this.#database.query<null, [number, string, string, string]>(
    'insert into stored.rejects (line, place, reason, id) values (?, ?, ?, ?)',
  )

  constructor(path: string) {
    this.#file = new RejectsFile(path)
  }

  /** `place`: of the row, as Places writes it. */
  add(line: number, place: string, reason: string, id: string): void {
    this.#insert.run(line, place, reason, id)
  }

  [Symbol.dispose](): void {
    const rejects = this.#database.query<{ place: string; reason: string; id: string }, []>(
      'select place, reason, id from stored.rejects order by line, rowid',
    )
    for (const { place, reason, id } of rejects.iterate()) this.#file.add(place, reason, id)
    this.#file[Symbol.dispose]()
    this.#database[Symbol.dispose]()
  }
}

/** @throws ServiceError `bad_input` when the file cannot be used */
const orServiceError = <Result>(path: string, use: () => Result): Result => {
  try {
    return use()
  } catch (cause) {
    const problem = describeFileError(cause, path)
    if (problem === null) throw cause
    throw new ServiceError('bad_input', problem, { cause })
  }
}

const beginsWith = (path: string, header: string): boolean => {
  if (!existsSync(path)) return false
  const descriptor = openSync(path, 'r')
  try {
    const head = Buffer.alloc(header.length)
    return readSync(descriptor, head, 0, head.length, 0) === head.length && head.toString() === header
  } finally {
    closeSync(descriptor)
  }
}
