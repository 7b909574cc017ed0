import { type AnyNode, type Element, isTag, isText } from 'domhandler'
import { decodeHTMLStrict } from 'entities'

/** Elements that a browser shows on their own line. */
const BREAKS = new Set(
  'address article aside blockquote br caption dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** Elements whose content browsers do not show, and text that was struck out. A `title` outside of `head` belongs to an icon. */
const UNSEEN = new Set(
  'datalist del head iframe noembed noframes noscript s script strike style template title'.split(' '),
)
/** Elements that may be hidden within a value. Larger hidden elements are collapsed sections, and their content is data. */
const PHRASES = new Set(
  'a abbr b bdi big button cite code em font i img ins label mark nobr small span strong sub sup svg td th dd u var'.split(
    ' ',
  ),
)
const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|clip\s*:\s*rect\(|(?:left|top|text-indent)\s*:\s*-\d{3})/i
/** Classes for screen readers, and classes of common style sheets that hide an element at every width or on wide screens. */
const HIDING_CLASS =
  /(?:^|\s)(?:(?:usa-)?sr-only|visually-?hidden|screen-reader(?:-text|-only)?|element-invisible|a11y-hidden|d-(?:(?:sm|md|lg|xl|xxl)-)?none|(?:(?:sm|md|lg|xl|2xl):)?hidden|hide|ng-hide|invisible|ui-helper-hidden(?:-accessible)?|visible-xs(?:-\w+)?|hidden-lg|show-for-small-only)(?=\s|$)/i
/** Classes that show an element on wide screens after all. */
const SHOWING_CLASS =
  /(?:^|\s)(?:d-(?:sm|md|lg|xl|xxl)-(?!none)|(?:sm|md|lg|xl|2xl):(?:inline|block|flex|grid|table|contents)|visible-lg)/i

/** Whether an element is not part of the visible text: scripts, styles, hidden fields, hidden parts of a line or a row, footnote marks. */
export const isUnseen = (element: Element): boolean => {
  const { name, attribs } = element
  if (UNSEEN.has(name)) return true
  if (name === 'input') return attribs.type?.toLowerCase() === 'hidden'
  if (name === 'sup' && isFootnoteMark(element)) return true
  if (!PHRASES.has(name)) return false
  return isHiddenByItself(element) || attribs['aria-hidden']?.toLowerCase() === 'true' || isHiddenByClass(attribs.class)
}

/** Content that a page has twice, for wide and for narrow screens, is read once. */
const isHiddenByClass = (names = ''): boolean => HIDING_CLASS.test(names) && !SHOWING_CLASS.test(names)

/** Whether its own attributes hide the element from every reader. */
export const isHiddenByItself = ({ attribs }: Element): boolean =>
  'hidden' in attribs || HIDING_STYLE.test(attribs.style ?? '')

/** `<sup>1</sup>` after a value is not one of its digits. */
const isFootnoteMark = ({ children }: Element): boolean => {
  const [mark, ...others] = children
  return mark !== undefined && isText(mark) && others.length === 0 && FOOTNOTE_MARK.test(mark.data.trim())
}

/** Raised digits do not belong to the number before them: `$4<sup>50</sup>` is not 450. */
const isRaisedNumber = ({ name, children: [first] }: Element): boolean =>
  name === 'sup' && first !== undefined && isText(first) && /^\s*\d/.test(first.data)

const FOOTNOTE_MARK = /^(?:\d|[a-z]|[*\u2020\u2021\u00a7]{1,3}|\[\w{1,2}\]|\(\w{1,2}\))$/i

const KEEPS_LINES = /^(?:pre|pre-line|pre-wrap|break-spaces)$/i
const WHITE_SPACE_STYLE = /(?:^|;)\s*white-space\s*:\s*([a-z-]+)/i
const WHITE_SPACE_CLASS =
  /(?:^|\s)(?:white-?space-(?<full>pre(?:-line|-wrap)?|normal|nowrap)|(?<bare>pre-(?:line|wrap)))(?=\s|$)/i

/** Whether newlines separate lines in this element. Undefined: as in its parent. */
const keepsLines = ({ name, attribs }: Element): boolean | undefined => {
  const named = WHITE_SPACE_CLASS.exec(attribs.class ?? '')?.groups
  const rule = WHITE_SPACE_STYLE.exec(attribs.style ?? '')?.[1] ?? named?.full ?? named?.bare
  if (rule !== undefined) return KEEPS_LINES.test(rule)
  return name === 'pre' || name === 'textarea' ? true : undefined
}

/** As `keepsLines`, from the nearest ancestor for which it is defined. */
const keepsLinesAt = (node: AnyNode): boolean => {
  for (let around: AnyNode | null = node; around !== null; around = around.parent) {
    const rule = isTag(around) ? keepsLines(around) : undefined
    if (rule !== undefined) return rule
  }
  return false
}

/** The text below a node, line by line as displayed, blanks collapsed, without empty lines. */
export const linesOf = (node: AnyNode): string[] => {
  const parts: string[] = []
  collect(node, parts, keepsLinesAt(node))
  return parts
    .join('')
    .split('\n')
    .map(collapse)
    .filter((line) => line !== '')
}

/** The texts between tags below a node, blanks collapsed. */
export const piecesOf = (node: AnyNode, pieces: string[] = []): string[] => {
  if (isText(node)) pieces.push(collapse(node.data))
  else if ('children' in node && !(isTag(node) && isUnseen(node))) {
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

  /** Like `textOf`; null when the text is longer than a label. */
  of(node: AnyNode): string | null {
    const text = this.#join(node)?.trim() ?? null
    return text === null || text.length > MAX_LABEL ? null : text
  }

  /** Keeps the blanks at both ends, which may separate it from its neighbors. */
  #join(node: AnyNode): string | null {
    if (isText(node)) return atMostLabel(squeeze(node.data))
    if (!('children' in node) || (isTag(node) && isUnseen(node))) return ''
    const known = this.#known.get(node)
    if (known !== undefined) return known
    const edge = isTag(node) && (BREAKS.has(node.name) || isRaisedNumber(node)) ? ' ' : ''
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
const collect = (node: AnyNode, parts: string[], isPreformatted: boolean): void => {
  if (isText(node)) parts.push(isPreformatted ? node.data : node.data.replace(/\n/g, ' '))
  else if (isTag(node)) {
    if (isUnseen(node)) return
    const breaks = BREAKS.has(node.name)
    const keeps = keepsLines(node) ?? isPreformatted
    if (breaks) parts.push('\n')
    if (isRaisedNumber(node)) parts.push(' ')
    for (const child of node.children) collect(child, parts, keeps)
    if (breaks) parts.push('\n')
  } else if ('children' in node) {
    for (const child of node.children) collect(child, parts, isPreformatted)
  }
}

/** Testing for blanks to collapse is much cheaper than replacing them, and most texts have none. */
const squeeze = (text: string): string => {
  const plain = unescapeAgain(text)
  return HAS_BLANKS.test(plain) ? plain.replace(INVISIBLE, '').replace(BLANKS, ' ') : plain
}
/** Soft hyphens, marks of direction, and spaces without a width. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g
/** Any blank that must change: all but a single space. */
const HAS_BLANKS = / {2}|[^\S ]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]/
/** `Â` before a no-break space is half of that space, read in the wrong charset. */
const BLANKS = /(?:\u00c2(?=\u00a0)|\s)+/g

const MAX_ESCAPES = 3

/** Some portals escape text twice or more often, and a browser then shows `SMITH &amp; SONS`. */
const unescapeAgain = (text: string): string => {
  let plain = text
  for (let escapes = 0; escapes < MAX_ESCAPES && plain.includes('&'); escapes++) {
    const before = plain
    plain = decodeHTMLStrict(before)
    if (plain === before) break
  }
  return plain
}

/** Collapses blanks of every kind, no-break spaces included, and trims. */
export const collapse = (text: string): string => squeeze(text).trim()

/** Normalizes labels and headings for comparison: ignores case, a trailing colon or asterisk, and the kind of dash. */
export const wordsOf = (label: string): string => {
  if (label.length > 4 * MAX_LABEL) return normalize(label)
  const known = knownWords.get(label)
  if (known !== undefined) return known
  const words = normalize(label)
  if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear()
  knownWords.set(label, words)
  return words
}

/** A cache, because a source's pages are searched for the same labels again and again. At most 1 MB. */
const knownWords = new Map<string, string>()
const MAX_KNOWN_WORDS = 1_000

const normalize = (label: string): string =>
  collapse(label)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\s:*]+$/, '')
    .toLowerCase()
