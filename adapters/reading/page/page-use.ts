import { type AnyNode, isTag } from 'domhandler'

/** Tracks which parts of a page an adapter has read. */
export class PageUse {
  readonly #labels = new Set<string>()
  readonly #read = new Set<AnyNode>()
  readonly #nones = new Set<AnyNode>()
  readonly #unknowns = new Set<AnyNode>()
  readonly #incomplete = new Map<unknown, string>()
  /** Nodes that were read, and everything around them. */
  readonly #touched = new Set<AnyNode>()

  noteLabel(words: string): void {
    this.#labels.add(words)
  }

  noteRead(node: AnyNode): void {
    this.#read.add(node)
    for (let around: AnyNode | null = node; around !== null && !this.#touched.has(around); around = around.parent) {
      this.#touched.add(around)
    }
  }

  /** The page says that there are none: in words, with a blank value, or with a table of headings alone. */
  noteNone(node: AnyNode): void {
    this.#nones.add(node)
  }

  /** How many places on the page say that there are none. */
  get nones(): number {
    return this.#nones.size
  }

  /** A table has rows, and no value in them. The page does not say that there are none: its values may be missing. */
  noteUnknown(table: AnyNode): void {
    this.#unknowns.add(table)
  }

  get hasUnknown(): boolean {
    return this.#unknowns.size > 0
  }

  /** Beside these entries of a list there is at least one more, which was not understood. `name` is the list's place on the page. */
  noteIncomplete(entries: readonly unknown[], name: string): void {
    for (const entry of entries) if (typeof entry === 'object') this.#incomplete.set(entry, name)
  }

  /** The place of the list with this entry, if the list is incomplete. */
  incompleteAround(entry: unknown): string | undefined {
    return this.#incomplete.get(entry)
  }

  /** Whether a value was found beside this label, or under this heading. */
  hasLabel(words: string): boolean {
    return this.#labels.has(words)
  }

  /** Whether the node, a part of it, or the row or list entry that it is in was read. Reading the text of a whole section does not count. */
  isRead(node: AnyNode): boolean {
    if (this.#touched.has(node)) return true
    for (
      let around = node.parent;
      around !== null && isTag(around) && !SECTIONS.has(around.name);
      around = around.parent
    ) {
      if (this.#read.has(around)) return true
    }
    return false
  }
}

const SECTIONS = new Set(
  'article aside body div dl fieldset form html main ol section table tbody tfoot thead ul'.split(' '),
)
