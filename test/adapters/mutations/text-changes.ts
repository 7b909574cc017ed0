import { cloneNode, Element, isTag, isText, Text } from 'domhandler'
import { isCell } from '../../../adapters/reading/tables/table'
import { textOf } from '../../../adapters/reading/text'
import {
  aroundOf,
  type Change,
  insertAfter,
  insertBefore,
  isLabel,
  isLabelCell,
  move,
  nextCell,
  pickOne,
  remove,
  replace,
  seenTexts,
  textsIn,
  wrapContent,
} from './tree'

const MARKS = [':', ' :', ' *', '†', ' (1)', 'sup']

const HIDINGS: readonly Record<string, string>[] = [
  { hidden: '' },
  { style: 'display:none' },
  { style: 'visibility: hidden' },
  { 'aria-hidden': 'true' },
  { class: 'sr-only' },
  { class: 'visually-hidden' },
  { class: 'badge d-none' },
  { class: 'hidden' },
  { style: 'position: absolute; left: -9999px' },
  { style: 'clip:rect(0 0 0 0)' },
]
/** Characters that are not shown. */
const INVISIBLE = ['\u00ad', '\u200b', '\u200e', '\u2060', '\ufeff']
/** Elements whose content browsers do not show, or that has been struck out. */
const NOT_SAID = ['del', 's', 'iframe', 'svg'] as const

/** Changes to texts, labels and single values. */
export const TEXT_CHANGES = {
  'a label and its value in one cell': ({ elements, pick }) => {
    const label = pickOne(
      elements.filter((element) => isLabelCell(element) && nextCell(element) !== null),
      pick,
    )
    if (label === null) return false
    const value = nextCell(label) as Element
    move(new Text(' '), label)
    for (const node of [...value.children]) move(node, label)
    remove(value)
    return true
  },
  'line breaks as newlines that part lines': ({ elements, pick }) => {
    const lines = pickOne(
      elements.filter(({ children }) => children.some((child) => isTag(child) && child.name === 'br')),
      pick,
    )
    if (lines === null) return false
    for (const text of textsIn(lines)) text.data = text.data.replaceAll('\n', ' ')
    for (const child of [...lines.children]) if (isTag(child) && child.name === 'br') replace(child, new Text('\n'))
    lines.attribs.style = 'white-space: pre-line'
    return true
  },
  'a blank as a newline': ({ elements, pick }) => {
    const text = pickOne(elements.flatMap(({ children }) => children.filter(isText)).filter(isSentence), pick)
    if (text === null) return false
    text.data = text.data.replace(/(?<=\S) (?=\S)/, '\n')
    return true
  },
  'blanks as no-break spaces': ({ elements, pick }) => {
    const text = pickOne(
      seenTexts(elements).filter(({ data }) => /\S \S/.test(data)),
      pick,
    )
    if (text === null) return false
    text.data = text.data.replaceAll(' ', '\u00a0')
    return true
  },
  'a text in capitals': ({ elements, pick }) => {
    const text = pickOne(
      seenTexts(elements).filter(({ data }) => data !== data.toUpperCase()),
      pick,
    )
    if (text === null) return false
    text.data = text.data.toUpperCase()
    return true
  },
  'a text with a part in tags of its own': ({ elements, pick }) => {
    const text = pickOne(
      seenTexts(elements).filter(({ data }) => data.trim().length > 3),
      pick,
    )
    if (text === null) return false
    const start = text.data.length - text.data.trimStart().length
    const at = start + 1 + pick(text.data.trim().length - 1)
    // A tag that is already used here marks labels, so the part would become another label.
    const around = text.parent as Element
    const tags = ['span', 'b', 'i'].filter(
      (tag) => !around.children.some((child) => isTag(child) && child.name === tag),
    )
    const part = new Element(pickOne(tags, pick) ?? 'em', {})
    move(new Text(text.data.slice(at)), part)
    insertAfter(part, text)
    text.data = text.data.slice(0, at)
    return true
  },
  'a mark after a label': (place) => {
    const label = pickOne(
      place.elements.filter((element) => isLabel(place, element)),
      place.pick,
    )
    if (label === null) return false
    const mark = pickOne(MARKS, place.pick) as string
    const last = textsIn(label).findLast(({ data }) => data.trim() !== '') as Text
    last.data = last.data.trimEnd()
    if (mark !== 'sup') last.data += mark
    else {
      const raised = new Element('sup', {})
      move(new Text('1'), raised)
      insertAfter(raised, last)
    }
    return true
  },
  'a mark after a value': ({ elements, pick, isValue }) => {
    const value = pickOne(
      elements.filter((element) => ['td', 'dd', 'span', 'b'].includes(element.name) && isValue(textOf(element))),
      pick,
    )
    if (value === null) return false
    const raised = new Element('sup', {})
    move(new Text(pick(2) === 0 ? '1' : '*'), raised)
    move(raised, value)
    return true
  },
  'hidden text in a value': ({ elements, pick }) => {
    const element = pickOne(
      elements.filter(({ name }) => ['td', 'th', 'dd', 'span', 'b', 'a'].includes(name)),
      pick,
    )
    if (element === null) return false
    const hidden = new Element('span', HIDINGS[pick(HIDINGS.length)] as Record<string, string>)
    move(new Text(' 77777 hidden 2031 '), hidden)
    move(hidden, element)
    return true
  },
  'a hidden element before a value': ({ elements, pick }) => {
    const element = pickOne(
      elements.filter(({ name }) => ['td', 'dd', 'span', 'b'].includes(name)),
      pick,
    )
    if (element === null) return false
    const choices = isCell(element) ? ['script', 'template'] : ['script', 'style', 'template', 'span']
    const name = choices[pick(choices.length)] as string
    const hidden = new Element(name, name === 'span' ? { hidden: '' } : {})
    move(new Text('var hidden = 77777'), hidden)
    insertBefore(hidden, element)
    return true
  },
  'an invisible character in a text': ({ elements, pick }) => {
    const text = pickOne(
      seenTexts(elements).filter(({ data }) => data.trim().length > 3),
      pick,
    )
    if (text === null) return false
    const at = pick(text.data.length)
    text.data = text.data.slice(0, at) + pickOne(INVISIBLE, pick) + text.data.slice(at)
    return true
  },
  'a struck text or an icon beside a value': ({ elements, pick, isValue }) => {
    const value = pickOne(
      elements.filter((element) => ['td', 'dd', 'span', 'b'].includes(element.name) && isValue(textOf(element))),
      pick,
    )
    if (value === null) return false
    const name = pickOne(NOT_SAID, pick) as string
    const said = new Element(name === 'svg' ? 'title' : name, {})
    move(new Text('77777 FORMER'), said)
    const added = name === 'svg' ? new Element('svg', {}) : said
    if (added !== said) move(said, added)
    const [first] = value.children
    if (first !== undefined && pick(2) === 0) insertBefore(added, first)
    else move(added, value)
    return true
  },
  'a value once for wide and once for narrow screens': ({ elements, pick, isValue }) => {
    const value = pickOne(
      elements.filter((element) => ['td', 'dd'].includes(element.name) && isValue(textOf(element))),
      pick,
    )
    if (value === null) return false
    const narrow = new Element('span', { class: 'd-md-none' })
    for (const node of value.children) move(cloneNode(node, true), narrow)
    wrapContent(value, new Element('span', { class: 'd-none d-md-inline' }))
    move(narrow, value)
    return true
  },
  'a mark as an entity that is escaped twice': ({ elements, pick }) => {
    const text = pickOne(
      seenTexts(elements).filter(({ data }) => /[-/,.'#]/.test(data)),
      pick,
    )
    if (text === null) return false
    text.data = text.data.replace(/[-/,.'#]/, (mark) => (mark === "'" ? '&rsquo;' : `&#${mark.charCodeAt(0)};`))
    return true
  },
} satisfies Record<string, Change>

/** A text of several words, in a place where a newline counts as a blank. */
const isSentence = (text: Text): boolean =>
  /\S \S/.test(text.data) &&
  aroundOf(text).every(({ name, attribs }) => name !== 'pre' && !/pre-(?:line|wrap)/.test(JSON.stringify(attribs)))
