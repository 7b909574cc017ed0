import { type AnyNode, type Document, type Element, isTag } from 'domhandler'
import { isUnseen, MAX_LABEL, ShortTexts, wordsOf } from '../text'
import { PageUse } from './page-use'

/** An index of a page's labels and short texts, built once. */
export class PageIndex {
  readonly texts = new ShortTexts()
  readonly use = new PageUse()
  readonly #root: Document
  #labels: Map<string, Element[]> | undefined

  /** The page's address, which its links are relative to. */
  readonly url: string | undefined

  constructor(root: Document, url?: string) {
    this.#root = root
    this.url = url
  }

  /** The innermost elements with exactly these words, in page order. */
  labelled(words: string): readonly Element[] {
    return this.#all().get(words) ?? []
  }

  /** All labels, each with the innermost elements that have exactly these words. */
  allLabels(): (readonly [words: string, elements: readonly Element[]])[] {
    return [...this.#all()]
  }

  #all(): ReadonlyMap<string, readonly Element[]> {
    this.#labels ??= collectLabels(this.#root)
    return this.#labels
  }

  /** Whether these words are the element's whole text. */
  hasWords(element: Element, words: string): boolean {
    const text = this.texts.of(element)
    return text !== null && wordsOf(text) === wordsOf(words)
  }
}

const collectLabels = (root: Document): Map<string, Element[]> => {
  const labels = new Map<string, Element[]>()
  /** The words below a node; null when they are too long for a label. */
  const visit = (node: AnyNode): string | null => {
    if (!('children' in node)) return 'data' in node && node.type === 'text' ? node.data : ''
    if (isTag(node) && isUnseen(node)) return ''
    let text: string | null = ''
    let inner: string | null = null
    for (const child of node.children) {
      const below = visit(child)
      text = text === null || below === null || text.length + below.length > 4 * MAX_LABEL ? null : text + below
      if (below !== null && isTag(child)) inner ??= wordsOf(below) === '' ? null : wordsOf(below)
    }
    if (text === null) return null
    const words = wordsOf(text)
    if (isTag(node) && words !== '' && words.length <= MAX_LABEL && inner !== words) {
      const known = labels.get(words)
      if (known === undefined) labels.set(words, [node])
      else known.push(node)
    }
    return text
  }
  visit(root)
  return labels
}
