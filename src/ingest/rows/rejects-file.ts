import { closeSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { csvCell } from '../csv-cell'

export interface Rejects {
  /** `line`: where the row is, as Places writes it. */
  add: (line: string, reason: string, id: string) => void
}

const FLUSH_CHARACTERS = 1 << 16

/** A CSV that exists only if it has rows: one of an earlier run is deleted. `header` ends its line. */
export class ListFile {
  #descriptor: number | null = null
  #text = ''

  constructor(
    readonly path: string,
    readonly header: string,
  ) {
    if (beginsWith(path, header)) rmSync(path)
  }

  add(...cells: readonly string[]): void {
    if (this.#descriptor === null) {
      this.#descriptor = openSync(this.path, 'w')
      this.#text = this.header
    }
    this.#text += `${cells.map(csvCell).join(',')}\n`
    if (this.#text.length > FLUSH_CHARACTERS) this.#flush()
  }

  [Symbol.dispose](): void {
    if (this.#descriptor === null) return
    this.#flush()
    closeSync(this.#descriptor)
    this.#descriptor = null
  }

  #flush(): void {
    if (this.#descriptor !== null) writeSync(this.#descriptor, this.#text)
    this.#text = ''
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
