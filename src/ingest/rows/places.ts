import type { FileOrigin } from '../../../drizzle/records'
import type { FormatName } from '../formats/format-names'

/** A file whose rows have the numbers after `before`. */
export interface RowsOfFile {
  name: string
  format: FormatName
  unit: 'line' | 'feature' | 'row'
  before: number
}

/** The places of rows. Numbering continues from file to file, so that each number identifies one row. */
export class Places {
  #files: RowsOfFile[] = []

  constructor(readonly areSeveral: boolean) {}

  /** Begins the next file. A number of 0 is the first file, when files are read again. */
  begin(file: RowsOfFile): void {
    this.#files = [...this.#files.filter(({ before }) => before < file.before), file]
  }

  /** `line 7`, `feature 7`; with several files, `lots.csv, line 7`. */
  describe(number: number): string {
    const file = this.#files.findLast(({ before }) => before < number)
    if (file === undefined) return `row ${number}`
    const place = `${file.unit} ${number - file.before}`
    return this.areSeveral ? `${file.name}, ${place}` : place
  }

  /** Like `describe`, for a column of line numbers. */
  cell(number: number): string {
    return this.#isLine() ? `${number}` : this.describe(number)
  }

  /** For the change log. */
  originOf(number: number): FileOrigin {
    return this.#isLine() ? { line: number } : { line: number, place: this.describe(number) }
  }

  /** Whether numbers are lines of the only file. */
  #isLine(): boolean {
    return !this.areSeveral && this.#files.at(-1)?.unit === 'line'
  }
}
