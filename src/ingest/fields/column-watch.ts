import { ServiceError } from '../../../core/service-error'
import { columnsOf, type Mapping } from './expression'
import { type Fields, isRequired } from './fields'

/** Tracks which columns of the field map a file has. */
export class ColumnWatch {
  readonly #unseen: Set<string>
  /** Columns that the operator names, and those of required fields. */
  readonly #expected: Set<string>
  #isDecided = false
  readonly #firstSeen = new Map<string, string>()

  /** `map` has all fields; `given` are the mappings and columns that the operator named. */
  constructor(
    readonly map: readonly Mapping[],
    given: { map: readonly Mapping[]; boundary: string | null },
    readonly fields: Fields,
  ) {
    this.#unseen = new Set(map.flatMap(({ expression }) => columnsOf(expression)))
    const expected = map.filter(
      ({ target }) => isGiven(given.map, target) || isRequired(fields[target] as Fields[string]),
    )
    this.#expected = new Set(expected.flatMap(({ expression }) => columnsOf(expression)))
    if (given.boundary !== null) this.#expected.add(given.boundary)
    for (const column of this.#expected) this.#unseen.add(column)
  }

  /** A CSV's header lists all its columns. */
  checkHeader(header: string[]): void {
    const missing = this.#missing().filter((column) => !header.includes(column))
    if (missing.length === 0) return
    throw new ServiceError(
      'bad_input',
      `the file has no column ${missing.join(', ')}: it has ${header.join(', ')}. Correct the field map; a preview of the file suggests one`,
    )
  }

  /** `place`: of the row, for a warning. */
  see(properties: Record<string, unknown>, place: () => string): void {
    for (const column of this.#unseen) {
      if (!(column in properties)) continue
      this.#unseen.delete(column)
      if (this.#isDecided) this.#firstSeen.set(column, place())
    }
  }

  /**
   * The optional fields that an empty value clears: the rows so far have all their columns. The columns of a file without a header are
   * known only from its rows, so a column that appears later clears nothing.
   */
  decideCleared(): string[] {
    this.#isDecided = true
    return this.map
      .filter(({ target, expression }) => {
        const columns = columnsOf(expression)
        return (
          (columns.length > 0 || expression.kind === 'program') &&
          !isRequired(this.fields[target] as Fields[string]) &&
          !columns.some((name) => this.#unseen.has(name))
        )
      })
      .map(({ target }) => target)
  }

  warnings(): string[] {
    return [
      ...this.#missing().map((column) => `no row has "${column}": is the field map right?`),
      ...[...this.#firstSeen].map(
        ([column, place]) => `"${column}" first appears on ${place}: its empty values clear nothing in this load`,
      ),
    ]
  }

  #missing(): string[] {
    return [...this.#expected].filter((column) => this.#unseen.has(column))
  }
}

const isGiven = (given: readonly Mapping[], target: string): boolean =>
  given.some((mapping) => mapping.target === target)
