import { closeSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { csvCell } from '../csv-cell'

const HEADER = 'line,reason,source_parcel_id\n'
const FLUSH_CHARACTERS = 1 << 16

export interface Rejects {
  /** `line`: where the row is, as Places writes it. */
  add: (line: string, reason: string, id: string) => void
}

/** A CSV of the rows that were not loaded. It exists only if there are any: one of an earlier run is deleted. */
export class RejectsFile implements Rejects {
  #descriptor: number | null = null
  #text = ''

  constructor(readonly path: string) {
    if (isRejectsFile(path)) rmSync(path)
  }

  add(line: string, reason: string, id: string): void {
    if (this.#descriptor === null) {
      this.#descriptor = openSync(this.path, 'w')
      this.#text = HEADER
    }
    this.#text += `${csvCell(line)},${csvCell(reason)},${csvCell(id)}\n`
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

const isRejectsFile = (path: string): boolean => {
  if (!existsSync(path)) return false
  const descriptor = openSync(path, 'r')
  try {
    const head = Buffer.alloc(HEADER.length)
    return readSync(descriptor, head, 0, head.length, 0) === head.length && head.toString() === HEADER
  } finally {
    closeSync(descriptor)
  }
}
