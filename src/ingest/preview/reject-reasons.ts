import type { Rejects } from '../rows/rejects-file'
import type { FilePreview } from './file-preview'

const MAX_EXAMPLES = 3
const MAX_REASONS = 100

/** Values in a reason: quoted text, lists of numbers, numbers. */
const VALUE = /"(?:[^"\\]|\\.)*"?|\[[^\]]*\]|[-+]?\d[\d.,e+]*/g

/** Counts rejected rows by reason. */
export class RejectReasons implements Rejects {
  readonly #reasons = new Map<string, FilePreview['rejects'][number]>()

  add(place: string, reason: string, id: string): void {
    const key = reason.replace(VALUE, '…')
    const entry = this.#reasons.get(key) ?? { count: 0, examples: [] }
    if (entry.count === 0 && this.#reasons.size >= MAX_REASONS) return
    this.#reasons.set(key, entry)
    entry.count++
    if (entry.examples.length < MAX_EXAMPLES) entry.examples.push({ place, id, reason })
  }

  /** The most frequent first. */
  list(): FilePreview['rejects'] {
    return [...this.#reasons.values()].sort((one, other) => other.count - one.count)
  }
}
