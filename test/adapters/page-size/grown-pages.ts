import type { RawDocument } from '../../../adapters/adapter'

export const GROWTHS = [
  '10,000 nested tags around it',
  'one of its rows, repeated',
  'tables beside it in 150 nested blocks',
] as const
export type Growth = (typeof GROWTHS)[number]

const SIZE = 1_000_000
const CHARACTERS_PER_ELEMENT = 25
const PARAGRAPH = '<p>Larkspur 12-345, $1,234</p>'

const repeated = (unit: string, size: number): string => unit.repeat(Math.max(0, Math.ceil(size / unit.length)))

/** Splits a page into the content of its body and the text before and after it. */
const openBody = (html: string): [before: string, content: string, after: string] => {
  const start = /<body[^>]*>/i.exec(html)
  const from = start === null ? 0 : start.index + start[0].length
  const end = html.search(/<\/body>/i)
  const to = end === -1 ? html.length : end
  return [html.slice(0, from), html.slice(from, to), html.slice(to)]
}

/** Pads with blanks, as in real pages. Otherwise 1 MB would exceed the limit for elements and the page would not be read at all. */
const spaced = (unit: string): string => unit.padEnd(CHARACTERS_PER_ELEMENT * (unit.match(/<[a-z]/gi)?.length ?? 0))

const CELLS = spaced('<table><tbody><tr><td>Larkspur 12-345</td><td>$1,234</td></tr></tbody></table>')

/**
 * Ways to make a page grow to 1 MB, or to 10,000 nested tags, with its content still on it. Of the variants tried, the two of 1 MB took
 * the longest. Words took less time, and so did the same cells in one table or in 60 nested tables.
 */
const HTML: Readonly<Record<Growth, (html: string) => string>> = {
  '10,000 nested tags around it': (html) => {
    const [before, content, after] = openBody(html)
    return `${before}${'<div>'.repeat(10_000)}${content}${after}`
  },
  'one of its rows, repeated': (html) => {
    const row = html.match(/<tr\b(?:(?!<tr\b)[\s\S])*?<\/tr>/gi)?.at(-1)
    if (row === undefined) return html.replace(/<\/body>/i, (end) => `${repeated(PARAGRAPH, SIZE - html.length)}${end}`)
    return html.replace(row, () => repeated(spaced(row), SIZE - html.length))
  },
  'tables beside it in 150 nested blocks': (html) => {
    const [before, content, after] = openBody(html)
    const tables = repeated(CELLS, SIZE - html.length)
    return `${before}${'<div>'.repeat(150)}${content}${tables}${'</div>'.repeat(150)}${after}`
  },
}

/** The longest list of objects in it, at any depth. */
const longestList = (value: unknown): object[] => {
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'object' && entry !== null)
  const lists = [isList ? (value as object[]) : [], ...Object.values(value).map(longestList)]
  return lists.reduce((one, other) => (JSON.stringify(other).length > JSON.stringify(one).length ? other : one))
}

/** JSON grows by repeating its own list, or by unrelated values. */
const JSON_TEXT: Readonly<Partial<Record<Growth, (json: string) => string>>> = {
  'one of its rows, repeated': (json) => {
    const answer = JSON.parse(json)
    const list = longestList(answer)
    const [entry] = list
    const times = entry === undefined ? 0 : Math.ceil((SIZE - json.length) / (JSON.stringify(entry).length + 1))
    for (let left = times; left > 0; left--) list.push(entry as object)
    return JSON.stringify(answer)
  },
  '10,000 nested tags around it': (json) =>
    json.replace('{', () => `{"grown":${'['.repeat(10_000)}${']'.repeat(10_000)},`),
}

/** The documents of a case, with the largest one grown in this way; null when that is impossible. */
export const grow = (documents: readonly RawDocument[], growth: Growth): RawDocument[] | null => {
  const isJson = ({ headers }: RawDocument) => headers['content-type']?.includes('json') === true
  const isBetter = (one: RawDocument, other: RawDocument) =>
    Number(isJson(one)) - Number(isJson(other)) || other.body.length - one.body.length
  const [largest] = documents.toSorted(isBetter)
  const grown = largest && (isJson(largest) ? JSON_TEXT : HTML)[growth]?.(largest.body)
  return grown === undefined ? null : documents.map((one) => (one === largest ? { ...one, body: grown } : one))
}
