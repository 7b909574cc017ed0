import { type AnyNode, isTag, isText } from 'domhandler'

/** What a browser shows on a line of its own. */
const BREAKS = new Set(
  'address article aside blockquote br caption dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
const UNSEEN = new Set(['head', 'noscript', 'script', 'style', 'template'])

/** The text below a node, line by line as it is shown, blanks collapsed, empty lines left out. */
export const linesOf = (node: AnyNode): string[] => {
  const parts: string[] = []
  collect(node, parts)
  return parts
    .join('')
    .split('\n')
    .map(collapse)
    .filter((line) => line !== '')
}

/** The texts below a node, each from one tag to the next, blanks collapsed. */
export const piecesOf = (node: AnyNode, pieces: string[] = []): string[] => {
  if (isText(node)) pieces.push(collapse(node.data))
  else if ('children' in node && !(isTag(node) && UNSEEN.has(node.name))) {
    for (const child of node.children) piecesOf(child, pieces)
  }
  return pieces
}

export const textOf = (node: AnyNode): string => linesOf(node).join(' ')

/** A longer text is no label and no heading. */
export const MAX_LABEL = 120

/**
 * The texts of elements that are short enough to be compared with labels and headings, each put together once: an element that
 * holds half the page, as the cells of layout tables do, costs no more than its parts.
 */
export class ShortTexts {
  readonly #known = new Map<AnyNode, string | null>()

  /** As `textOf`; null when it is longer than a label. */
  of(node: AnyNode): string | null {
    const text = this.#join(node)?.trim() ?? null
    return text === null || text.length > MAX_LABEL ? null : text
  }

  /** With the blanks at its ends, by which it may stand apart from its neighbours. */
  #join(node: AnyNode): string | null {
    if (isText(node)) return atMostLabel(squeeze(node.data))
    if (!('children' in node) || (isTag(node) && UNSEEN.has(node.name))) return ''
    const known = this.#known.get(node)
    if (known !== undefined) return known
    const edge = isTag(node) && BREAKS.has(node.name) ? ' ' : ''
    let text: string | null = edge
    for (const child of node.children) {
      const part = this.#join(child)
      text = part === null ? null : atMostLabel(squeeze(text + part))
      if (text === null) break
    }
    if (text !== null) text += edge
    this.#known.set(node, text)
    return text
  }
}

/** A blank at either end is no part of a label. */
const atMostLabel = (text: string): string | null => (text.length > MAX_LABEL + 2 ? null : text)

/** Recursion is safe: the parser bounds the depth. */
const collect = (node: AnyNode, parts: string[]): void => {
  if (isText(node)) parts.push(node.data.replace(/\n/g, ' '))
  else if (isTag(node)) {
    if (UNSEEN.has(node.name)) return
    const breaks = BREAKS.has(node.name)
    if (breaks) parts.push('\n')
    for (const child of node.children) collect(child, parts)
    if (breaks) parts.push('\n')
  } else if ('children' in node) {
    for (const child of node.children) collect(child, parts)
  }
}

const squeeze = (text: string): string => text.replace(/[\s\u00a0\u200b\ufeff]+/g, ' ')

/** Blanks of every kind, no-break ones included, as one. */
export const collapse = (text: string): string => squeeze(text).trim()

/** Labels and headings are compared by their words: case, a colon or asterisk at the end, and the kind of dash say nothing. */
export const wordsOf = (label: string): string =>
  collapse(label)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\s:*]+$/, '')
    .toLowerCase()
