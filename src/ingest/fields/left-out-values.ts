import { countNoun } from '../../../core/text/count-noun'

/** How many examples a warning shows. */
const EXAMPLES = 3

/** Counts the values that could not be read, by field. */
export class LeftOutValues {
  readonly #fields = new Map<string, { count: number; examples: string[] }>()

  add(field: string, place: string, reason: string): void {
    const entry = this.#fields.get(field) ?? { count: 0, examples: [] }
    this.#fields.set(field, entry)
    entry.count++
    if (entry.examples.length < EXAMPLES) entry.examples.push(`${place}: ${reason}`)
  }

  warnings(): string[] {
    return [...this.#fields].map(
      ([field, { count, examples }]) =>
        `${field}: ${countNoun(count, 'unreadable value')} left out (${examples.join('; ')}${count > examples.length ? '; ...' : ''})`,
    )
  }
}
