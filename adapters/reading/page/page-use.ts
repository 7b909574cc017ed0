import { type AnyNode, isTag } from 'domhandler'

/** Tracks which parts of a page an adapter has read. */
export class PageUse {
  readonly #labels = new Set<string>()
  readonly #read = new Set<AnyNode>()
  readonly #nones = new Set<AnyNode>()
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

  /** The page says that there are none: in words, with a blank value, or with a table that has headings and no rows. */
  noteNone(node: AnyNode): void {
    this.#nones.add(node)
  }

  /** How many places on the page say that there are none. */
  get nones(): number {
    return this.#nones.size
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
