import { toMessage } from '../../../core/bounds'
import type { Places } from '../rows/places'
import type { Rejects } from '../rows/rejects-file'

/** Counts the rows that are not loaded, and lists them with their places: a line by its number, a Feature as `feature 7`. */
export class RejectedRows {
  count = 0

  /** `onRejected` is called for each rejected row that has an id. */
  constructor(
    readonly list: Rejects,
    readonly places: Places,
    readonly onRejected: (id: string) => void,
  ) {}

  /** `id`: empty if the row has none, or if it could not be read. */
  add(line: number, reason: string, id: string): void {
    this.count++
    this.note(line, reason, id)
    if (id !== '') this.onRejected(id)
  }

  /** Lists a row that is loaded, but in part. */
  note(line: number, reason: string, id: string): void {
    this.list.add(this.places.cell(line), toMessage(reason), id)
  }
}
