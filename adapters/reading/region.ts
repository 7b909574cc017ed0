import { is, selectAll, selectOne } from 'css-select'
import { type AnyNode, type Document, Element, isTag } from 'domhandler'
import { ScrapeError } from '../scrape-error'
import { bestMatch } from './best-match'
import { readWebAddress } from './link'
import { PageUse } from './page/page-use'
import { findColumns } from './tables/find-columns'
import { Rows, TableRow, toRows } from './tables/rows'
import { cellsOf, gridOf, gridUnder, isCell, rowsOf } from './tables/table'
import { YearTable } from './tables/year-table'
import { collapse, isUnseen, linesOf, MAX_LABEL, piecesOf, ShortTexts, textOf, wordsOf } from './text'
import { readText } from './values'

/** Elements that only format text. */
const INLINE = new Set('a abbr b big em font i label nobr small span strong u'.split(' '))

/**
 * A page, or a part of it, read by its visible words. `find...` returns undefined when something is not
 * there; `get...` throws `page_changed` naming it and where it looked. Use `get...` for what every page has.
 */
export class Region {
  /** For messages: `"Property Details"`, or the page's name for the whole page. */
  readonly name: string
  readonly #page: PageIndex
  readonly #node: Element | Document

  constructor(page: PageIndex, node: Element | Document, name: string) {
    this.#page = page
    this.#node = node
    this.name = name
  }

  /** Blanks collapsed; '' when there is no text. */
  get text(): string {
    const text = textOf(this.#read())
    if (text.length <= MAX_LABEL && SAYS_NONE.test(text)) this.#page.use.noteNone(this.#node)
    return text
  }

  /** Like `text`, but undefined when longer than a label, which makes it cheap for large parts of a page. */
  get shortText(): string | undefined {
    return this.#page.texts.of(this.#read()) ?? undefined
  }

  /** Lines as displayed: a `<br>` or a block begins a line. No line is empty. */
  get lines(): string[] {
    return linesOf(this.#read())
  }

  /** The attribute's unchanged value. */
  attribute(name: string): string | undefined {
    return this.#node instanceof Element ? this.#node.attribs[name] : undefined
  }

  /** The URL of the only link in it, if people can open it outside of the page. */
  get link(): string | undefined {
    const links = selectAll<AnyNode, Element>('a[href]', this.#node)
    const addresses = links.flatMap(({ attribs }) => readWebAddress(attribs.href, this.#page.url) ?? [])
    const [address, ...others] = new Set(addresses)
    return others.length === 0 ? address : undefined
  }

  /** The texts between tags, piece by piece. */
  get pieces(): string[] {
    return piecesOf(this.#read())
  }

  /** Whether the text contains these words in any case, or matches a pattern. */
  says(words: string | RegExp): boolean {
    const isSaid =
      words instanceof RegExp ? words.test(this.text) : this.text.toLowerCase().includes(collapse(words).toLowerCase())
    if (isSaid) this.#page.use.noteNone(this.#node)
    return isSaid
  }

  /** The first element that matches a CSS selector. Prefer `[id$=...]` and meaningful attributes to positions. */
  find(selector: string, name: string = this.name): Region | undefined {
    const found = selectOne<AnyNode, Element>(selector, this.#node)
    return found === null ? undefined : this.#part(found, name)
  }

  /** `name` is the name of this part in messages. */
  get(selector: string, name: string): Region {
    return this.find(selector, name) ?? this.#missing(name)
  }

  all(selector: string, name: string = this.name): Region[] {
    if (/\btr\b/.test(selector) && this.#node instanceof Element) this.#noteEmptyTables(this.#node)
    return selectAll<AnyNode, Element>(selector, this.#node).map((element) => this.#part(element, name))
  }

  /** The parents of all matches, each once. `:has(> ...)` would find the same but search everything below each candidate. */
  allAround(selector: string): Region[] {
    const parents = selectAll<AnyNode, Element>(selector, this.#node).flatMap(({ parent }) => parent ?? [])
    return [...new Set(parents)].filter(isTag).map((element) => this.#part(element, this.name))
  }

  /** The element right after this one, if it matches. */
  findNext(selector: string, name: string = this.name): Region | undefined {
    const next = this.#node instanceof Element ? nextElement(this.#node) : null
    return next !== null && is<AnyNode, Element>(next, selector) ? this.#part(next, name) : undefined
  }

  /** The first of `containers` (a selector) whose `heading` (a selector in it) has these words. */
  findSection(title: string, containers: string, heading: string): Region | undefined {
    const found = selectAll<AnyNode, Element>(containers, this.#node).find((container) =>
      selectAll<AnyNode, Element>(heading, container).some((node) => this.#page.hasWords(node, title)),
    )
    return found === undefined ? undefined : this.#part(found, title)
  }

  getSection(title: string, containers: string, heading: string): Region {
    return this.findSection(title, containers, heading) ?? this.#missing(title)
  }

  /** The value beside a label: the next cell, the `<dd>` of its `<dt>`, or else the next element. The first such label counts. */
  findBeside(label: string): Region | undefined {
    const found = this.#findLabel(label)
    const next = found && nextElement(found)
    // In a list, labels and values have their own elements. These may be the headings of a table.
    if (found?.name === 'dd' || next?.name === 'dt') return undefined
    // Two labels in a row: the value between them is missing, and the second label is not the value.
    if (!next || (label.endsWith(':') && textOf(next).endsWith(':'))) return undefined
    if (readText(textOf(next)) === undefined) this.#page.use.noteNone(next)
    return this.#part(next, label)
  }

  getBeside(label: string): Region {
    return this.findBeside(label) ?? this.#missing(label)
  }

  /**
   * As `findBeside`, for labels whose exact words are not known: a label with these words, or else one that begins with them, or else
   * one that contains them.
   *
   * @throws ScrapeError `page_changed` naming the labels, when several fit equally well
   */
  findBesideLike(label: string): Region | undefined {
    const labels = this.#page.allLabels().filter(([, elements]) => elements.some((element) => this.#hasValue(element)))
    const match = bestMatch(
      label,
      labels.map(([words]) => words),
    )
    return match === undefined ? undefined : this.findBeside(match)
  }

  getBesideLike(label: string): Region {
    return this.findBesideLike(label) ?? this.#missing(label)
  }

  /**
   * The value beside a label, and the values of the rows below that continue it: they have a blank where the label would be. The next
   * label ends them. Blank values are left out. A `<dd>` after another `<dd>` continues it too.
   *
   * @throws ScrapeError `page_changed` when a row after it has a text without a label that may continue another value
   */
  findValues(label: string): Region[] | undefined {
    const found = this.#findLabel(label)
    const first = found && nextElement(found)
    if (!found || !first) return undefined
    const values = found.name === 'dt' ? [first, ...this.#entriesAfter(first)] : [first, ...this.#rowsAfter(found)]
    if (textOf(first) === '' && values.some((value) => textOf(value) !== '')) {
      throw new ScrapeError('page_changed', `no value beside "${label}", but texts below it that have no label`)
    }
    return values.filter((value) => textOf(value) !== '').map((value) => this.#part(value, label))
  }

  /** The entries of a list that continue `value`. */
  #entriesAfter(value: Element): Element[] {
    const after: Element[] = []
    for (let next = nextElement(value); next !== null; next = nextElement(next)) after.push(next)
    const end = after.findIndex((entry) => entry.name !== 'dd' && textOf(entry) !== '')
    const others = end === -1 ? [] : after.slice(end)
    const nameless = others.find((entry, index) => entry.name === 'dt' && textOf(entry) === '' && others[index + 1])
    if (nameless !== undefined) throw new ScrapeError('page_changed', `a value without a label under "${this.name}"`)
    return end === -1 ? after : after.slice(0, end)
  }

  /** The cells below the value of `label` that continue it. */
  #rowsAfter(label: Element): Element[] {
    const values: Element[] = []
    const place = positionOf(label)
    const { parent } = label
    if (parent === null || !isTag(parent)) return values
    let hasNotice = false
    for (let row = nextElement(parent); row !== null && row.name === parent.name; row = nextElement(row)) {
      const parts = row.children.filter((part) => isTag(part) && !isUnseen(part)) as Element[]
      const [side, value] = [parts[place], parts[place + 1]]
      const isNotice = parts.length === 1 && 'colspan' in (side?.attribs ?? {})
      // A label and its value share one cell, so the other cells have shifted.
      if (parts.length % 2 === 1 && !isNotice && textOf(row) !== '') {
        throw new ScrapeError('page_changed', `a row of ${parts.length} cells among pairs under "${this.name}"`)
      }
      hasNotice ||= isNotice
      if (isNotice) continue
      if (!side || !value || textOf(side) !== '') break
      if (hasNotice && textOf(value) !== '') {
        throw new ScrapeError('page_changed', `a value without a label below a notice under "${this.name}"`)
      }
      values.push(value)
    }
    return values
  }

  getValues(label: string): Region[] {
    return this.findValues(label) ?? this.#missing(label)
  }

  /** The cells after a label in its row, in order. */
  findCells(label: string): Region[] | undefined {
    const found = this.#findLabel(label)
    const row = found?.parent
    if (found === undefined || !isCell(found) || !row || !isTag(row)) return undefined
    const cells = cellsOf(row)
    return cells.slice(cells.indexOf(found) + 1).map((cell) => this.#part(cell, label))
  }

  /** `count` is the required number of cells: cells that are identified by position are meaningless when one is missing. */
  getCells(label: string, count: number): Region[] {
    const cells = this.findCells(label) ?? this.#missing(label)
    if (cells.length === count) return cells
    throw new ScrapeError('page_changed', `"${label}" has ${cells.length} cells beside it, not ${count}`)
  }

  /** The lines after a label within its own cell or block, up to the next element formatted like the label. */
  findAfter(label: string): string[] | undefined {
    const found = this.#findLabel(label, { climb: false })
    if (found === undefined) return undefined
    const parts: AnyNode[] = []
    for (let next = found.next; next !== null && !isAlike(next, found); next = next.next) parts.push(next)
    const lines = parts.length === 0 ? [] : linesOf(wrap(parts))
    return lines.map((line, index) => (index === 0 ? line.replace(/^:\s*/, '') : line)).filter((line) => line !== '')
  }

  getAfter(label: string): string[] {
    return this.findAfter(label) ?? this.#missing(label)
  }

  /** The rest of the first line that begins with `start`, for example `Last updated:`; '' when nothing follows. */
  findLine(start: string): string | undefined {
    const beginning = collapse(start).toLowerCase()
    const line = this.lines.find((text) => text.toLowerCase().startsWith(beginning))
    return line?.slice(beginning.length).trim()
  }

  getLine(start: string): string {
    return this.findLine(start) ?? this.#missing(start)
  }

  /**
   * The first table that has a row with all of `headings`, read below that row. A table with most of the headings counts as this
   * table, changed, and not as missing. No rows means that the table is empty. A notice in place of the rows must say so.
   *
   * @throws ScrapeError `page_changed` naming the missing heading of such a table, or the notice
   */
  findTable(headings: readonly string[]): Table | undefined {
    const found = this.#lookForTable(headings)
    if (!('missing' in found)) return found
    const [missing = ''] = found.missing
    return found.missing.length * 3 > headings.length ? undefined : this.#missing(missing, 'heading ')
  }

  /** Like `findTable`. `unless`: returns no rows when there is no such table and this region has these words ("No sales"). */
  getTable(headings: readonly string[], { unless }: { unless?: string | RegExp } = {}): Table {
    const found = this.#lookForTable(headings, unless)
    if (!('missing' in found)) return found
    const [missing = ''] = found.missing
    return found.missing.length === headings.length ? this.#missing(missing) : this.#missing(missing, 'heading ')
  }

  #lookForTable(headings: readonly string[], unless?: string | RegExp): Table | { missing: string[] } {
    let missing = [...headings]
    const tables = selectAll<AnyNode, Element>('table', this.#node)
    if (this.#node instanceof Element && this.#node.name === 'table') tables.unshift(this.#node)
    for (const table of tables) {
      const grid = gridUnder(gridOf(table), headings, this.#page.texts)
      if (!('missing' in grid)) {
        const columns = new Map(grid.headings.map((heading, column) => [wordsOf(heading), column] as const).reverse())
        const ragged = grid.rows.find((line) => line.length !== grid.headings.length)
        // A value under the wrong heading is worse than no value.
        if (ragged !== undefined) {
          const under = `${grid.headings.length} headings ("${headings.join('", "')}")`
          throw new ScrapeError('page_changed', `a row of ${ragged.length} cells under ${under} in "${this.name}"`)
        }
        const [notice] = grid.notices
        if (grid.rows.length === 0 && notice !== undefined && !(unless !== undefined && this.says(unless))) {
          if (!NONE.test(notice)) {
            throw new ScrapeError('page_changed', `"${notice}" instead of rows under "${headings.join('", "')}"`)
          }
        }
        if (grid.rows.length === 0) this.#page.use.noteNone(table)
        const toRow = (line: Element[]) => line.map((cell) => this.#part(cell, this.name))
        const rows = toRows(grid.rows.map((line) => new TableRow(toRow(line), columns, this.#page.use)))
        return { headings: grid.headings, rows }
      }
      if (grid.missing.length < missing.length) missing = grid.missing
    }
    return unless !== undefined && this.says(unless) ? { headings: [...headings], rows: new Rows<Row>() } : { missing }
  }

  /**
   * This table, or the first one in this region, with the columns whose headings match: see `findColumns`. The headings are the first
   * row of several cells. `cell` is undefined when the table has no such column.
   *
   * @throws ScrapeError `page_changed` when a required column has no heading, two headings match, or a row has another number of cells
   */
  getTableLike<Name extends string>(
    patterns: Readonly<Record<Name, RegExp>>,
    required: readonly NoInfer<Name>[],
  ): { rows: Rows<Row>; cell: (row: Row, name: Name) => Region | undefined } {
    const inside = selectAll<AnyNode, Element>('table', this.#node)
    const table = this.#node instanceof Element && this.#node.name === 'table' ? this.#node : inside[0]
    if (table === undefined) return this.#missing('table')
    const line = gridOf(table).find((cells) => new Set(cells).size > 1) ?? []
    const headings = line.map((cell) => this.#page.texts.of(cell) ?? '')
    const columns = findColumns(headings, patterns, this.name)
    const lacking = required.find((name) => columns[name] === undefined)
    if (lacking !== undefined) {
      const shown = headings.filter((heading) => heading !== '').join('", "')
      throw new ScrapeError('page_changed', `no heading of "${this.name}" is for ${lacking}: it has "${shown}"`)
    }
    const headingOf = (name: Name) => headings[columns[name] ?? -1]
    const wanted = (Object.keys(patterns) as Name[]).flatMap((name) => headingOf(name) ?? [])
    const { rows } = this.#part(table, this.name).getTable(wanted)
    const cell = (row: Row, name: Name) => {
      const heading = headingOf(name)
      return heading === undefined ? undefined : row.cell(heading)
    }
    return { rows, cell }
  }

  /**
   * This table, or the first one in this region, read as one column per year.
   *
   * @throws ScrapeError `page_changed` when its rows have no heading with a year
   */
  getYearTable(): YearTable {
    const tables = selectAll<AnyNode, Element>('table', this.#node)
    if (this.#node instanceof Element && this.#node.name === 'table') tables.unshift(this.#node)
    const [table] = tables
    if (table === undefined) return this.#missing('table')
    if (isEmptyTable(table)) this.#page.use.noteNone(table)
    return new YearTable(
      gridOf(table).map((line) => line.map((cell) => this.#part(cell, this.name))),
      this.name,
      this.#page.use,
    )
  }

  /** Call it before rows are read. A table without rows says that there are none. */
  #noteEmptyTables(node: Element): void {
    const tables = node.name === 'table' ? [node] : selectAll<AnyNode, Element>('table', node)
    if (tables.length > 0 && tables.every(isEmptyTable)) this.#page.use.noteNone(node)
  }

  /** Whether the element is in this region, and has a value beside it. A row or a block around a label and its value is not a label. */
  #hasValue(element: Element): boolean {
    if (!isWithin(element, this.#node) || !isPhrase(element)) return false
    const next = nextElement(climbOut(element, this.#page))
    return next !== null && textOf(next) !== ''
  }

  /** Returns the node and marks it as read. */
  #read(): Element | Document {
    this.#page.use.noteRead(this.#node)
    return this.#node
  }

  #findLabel(label: string, { climb = true } = {}): Element | undefined {
    const found = this.#page.labelled(wordsOf(label)).find((element) => isWithin(element, this.#node))
    if (found !== undefined) this.#page.use.noteLabel(wordsOf(label))
    return found === undefined || !climb ? found : climbOut(found, this.#page)
  }

  #part(element: Element, name: string): Region {
    return new Region(this.#page, element, name)
  }

  #missing(what: string, kind = ''): never {
    const where = this.#node instanceof Element ? `under "${this.name}"` : `on the ${this.name} page`
    throw new ScrapeError('page_changed', `no ${kind}"${what}" ${where}`)
  }
}

/** A row of a table, read by headings. */
export type Row = TableRow<Region>

export interface Table {
  headings: string[]
  rows: Rows<Row>
}

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

/** Climbs from formatting elements to the cell that the label fills, or to the outermost element that holds only the label. */
const climbOut = (label: Element, page: PageIndex): Element => {
  let element = label
  const words = textOf(label)
  while (!isCell(element) && INLINE.has(element.name)) {
    const { parent } = element
    if (parent === null || !isTag(parent) || !page.hasWords(parent, words)) break
    if (!isCell(parent) && !INLINE.has(parent.name) && nextElement(element) !== null) break
    element = parent
  }
  return element
}

/** Whether the element contains only text and elements that format text. */
const isPhrase = (element: Element): boolean =>
  element.children.every(
    (child) => !isTag(child) || ((INLINE.has(child.name) || child.name === 'br') && isPhrase(child)),
  )

/** The next sibling that is displayed. */
const nextElement = (element: Element): Element | null => {
  for (let next = element.next; next !== null; next = next.next) if (isTag(next) && !isUnseen(next)) return next
  return null
}

/** The position among the displayed elements of its parent. */
const positionOf = (element: Element): number =>
  (element.parent?.children ?? []).filter((part) => isTag(part) && !isUnseen(part)).indexOf(element)

/** Whether a table has headings and no row with a value below them. */
const isEmptyTable = (table: Element): boolean => {
  const [headings, ...rows] = rowsOf(table)
  return (
    headings !== undefined && rows.every((row) => cellsOf(row).every((cell) => readText(textOf(cell)) === undefined))
  )
}

const SAYS_NONE = /^(?:no|none|nothing)\b/i

/** Notices that mean that there are none. */
const NONE = /\b(?:no|none|not|nothing|zero|0|n\/a)\b/i

const isWithin = (element: Element, region: Element | Document): boolean => {
  for (let node: Element['parent'] | Element = element; node !== null; node = node.parent)
    if (node === region) return true
  return false
}

const isAlike = (node: AnyNode, label: Element): boolean =>
  node instanceof Element &&
  node.name === label.name &&
  node.attribs.class === label.attribs.class &&
  textOf(node) !== ''

/** Wraps sibling nodes to read them as one element in their place. */
const wrap = (nodes: AnyNode[]): Element => {
  const around = new Element('span', {})
  around.parent = nodes[0]?.parent ?? null
  around.children = nodes as Element['children']
  return around
}
