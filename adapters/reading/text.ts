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

export const textOf = (node: AnyNode): string => linesOf(node).join(' ')

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

/** Blanks of every kind, no-break ones included, as one. */
export const collapse = (text: string): string => text.replace(/[\s\u00a0\u200b\ufeff]+/g, ' ').trim()

/** Labels and headings are compared by their words: case, a colon or asterisk at the end, and the kind of dash say nothing. */
export const wordsOf = (label: string): string =>
  collapse(label)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\s:*]+$/, '')
    .toLowerCase()
