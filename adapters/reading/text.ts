import { type AnyNode, isTag, isText } from 'domhandler'

/** Elements that a browser shows on their own line. */
const BREAKS = new Set(
  'address article aside blockquote br caption dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
const UNSEEN = new Set(['head', 'noscript', 'script', 'style', 'template'])

/** The text below a node, line by line as displayed, blanks collapsed, without empty lines. */
export const linesOf = (node: AnyNode): string[] => {
  const parts: string[] = []
  collect(node, parts)
  return parts
    .join('')
    .split('\n')
    .map(collapse)
    .filter((line) => line !== '')
}

/** The texts between tags below a node, blanks collapsed. */
export const piecesOf = (node: AnyNode, pieces: string[] = []): string[] => {
  if (isText(node)) pieces.push(collapse(node.data))
  else if ('children' in node && !(isTag(node) && UNSEEN.has(node.name))) {
    for (const child of node.children) piecesOf(child, pieces)
  }
  return pieces
}

export const textOf = (node: AnyNode): string => linesOf(node).join(' ')

/** A longer text is not a label or heading. */
export const MAX_LABEL = 120

/**
 * The texts of elements short enough to be labels or headings, each built once. An element that
 * holds half the page, such as a cell of a layout table, costs no more than its parts.
 */
export class ShortTexts {
  readonly #known = new Map<AnyNode, string | null>()

  /** As `textOf`; null when it is longer than a label. */
  of(node: AnyNode): string | null {
    const text = this.#join(node)?.trim() ?? null
    return text === null || text.length > MAX_LABEL ? null : text
  }

  /** Keeps the blanks at both ends, which may separate it from its neighbors. */
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

/** Allows for a blank at each end. */
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

/** Collapses blanks of every kind, no-break spaces included, and trims. */
export const collapse = (text: string): string => squeeze(text).trim()

/** Normalizes labels and headings for comparison: ignores case, a trailing colon or asterisk, and the kind of dash. */
export const wordsOf = (label: string): string =>
  collapse(label)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\s:*]+$/, '')
    .toLowerCase()
