import { is, selectAll, selectOne } from 'css-select'
import { type AnyNode, type Document, Element, isTag } from 'domhandler'
import { ScrapeError } from '../scrape-error'
import { cellsAfter, cellsBelow, climbOut, entriesAfter, isPhrase, linesAfter, placeOf } from './around-label'
import { bestMatch } from './best-match'
import { isWithin, nextSeen } from './elements'
import { readWebAddress } from './link'
import type { PageIndex } from './page/page-index'
import { noteWarning } from './page/reading-report'
import { findColumns } from './tables/find-columns'
import { expectEvenRows, expectNoneNotice, findGrid } from './tables/find-grid'
import { Rows, TableRow, toRows } from './tables/rows'
import { contentOf, gridOf } from './tables/table'
import { YearTable } from './tables/year-table'
import { collapse, linesOf, piecesOf, textOf, wordsOf } from './text'
import { isNoValue } from './values'

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
    return textOf(this.#read())
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
    const next = this.#node instanceof Element ? nextSeen(this.#node) : undefined
    return next !== undefined && is<AnyNode, Element>(next, selector) ? this.#part(next, name) : undefined
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

  /**
   * The value beside a label: the next cell, the `<dd>` of its `<dt>`, or else the next element. The first such label counts.
   *
   * @throws ScrapeError `page_changed` when the label's table or list has the label again, beside another value
   */
  findBeside(label: string): Region | undefined {
    const found = this.#findLabel(label)
    const next = found && nextSeen(found)
    if (found !== undefined) this.#expectSame(label, found, (other) => textOf(nextSeen(other) ?? other))
    // In a list, labels and values have their own elements. These may be the headings of a table.
    if (found?.name === 'dd' || next?.name === 'dt') return undefined
    // Two labels in a row: the value between them is missing, and the second label is not the value.
    if (!next || (label.endsWith(':') && textOf(next).endsWith(':'))) return undefined
    if (isNoValue(textOf(next))) this.#page.use.noteNone(next)
    return this.#part(next, label)
  }

  /** The values beside each such label, without repeated ones. */
  allBeside(label: string): Region[] {
    const labels = this.#page.labelled(wordsOf(label)).filter((element) => isWithin(element, this.#node))
    const values = new Map<string, Region>()
    for (const element of labels) {
      const next = nextSeen(climbOut(element, this.#page))
      const text = next && textOf(next)
      if (text && !values.has(text)) values.set(text, this.#part(next, label))
    }
    return [...values.values()]
  }

  /** As `findBeside`, for a label that each building has. Undefined, with a warning, when several such labels have different values. */
  findOnlyBeside(label: string): Region | undefined {
    if (this.allBeside(label).length <= 1) return this.findBeside(label)
    noteWarning(`"${label}" is under "${this.name}" several times, with different values, so it was left out`)
    return undefined
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
    const first = found && nextSeen(found)
    if (!found || !first) return undefined
    const values = [first, ...(found.name === 'dt' ? entriesAfter(first, this.name) : cellsBelow(found, this.name))]
    if (textOf(first) === '' && values.some((value) => textOf(value) !== '')) {
      throw new ScrapeError('page_changed', `no value beside "${label}", but texts below it that have no label`)
    }
    return values.filter((value) => textOf(value) !== '').map((value) => this.#part(value, label))
  }

  getValues(label: string): Region[] {
    return this.findValues(label) ?? this.#missing(label)
  }

  /**
   * The cells after a label in its row, in order.
   *
   * @throws ScrapeError `page_changed` when the table has the label again, beside other cells
   */
  findCells(label: string): Region[] | undefined {
    const found = this.#findLabel(label)
    const after = found && cellsAfter(found)
    if (found === undefined || after === undefined) return undefined
    this.#expectSame(label, found, (other) => cellsAfter(other)?.map(textOf).join('\n'))
    return after.map((cell) => this.#part(cell, label))
  }

  /** Of two rows with one label and different values, either could be meant, or both. */
  #expectSame(label: string, found: Element, textBeside: (label: Element) => string | undefined): void {
    const labelled = this.#page.labelled(wordsOf(label))
    if (labelled.length === 1) return
    const place = placeOf(found)
    const others = labelled.filter((element) => isWithin(element, this.#node)).map((one) => climbOut(one, this.#page))
    const isSameList = (other: Element) =>
      place !== undefined && placeOf(other)?.list === place.list && placeOf(other)?.column === place.column
    if (others.every((other) => !isSameList(other) || textBeside(other) === textBeside(found))) return
    this.#refuseTwoValues(label)
  }

  #refuseTwoValues(label: string): never {
    throw new ScrapeError('page_changed', `"${label}" is under "${this.name}" several times, with different values`)
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
    const lines = linesAfter(found)
    const listAround = ({ parent }: Element) => (parent && isTag(parent) ? placeOf(parent)?.list : undefined)
    const list = listAround(found)
    const others = list ? this.#page.labelled(wordsOf(label)).filter((other) => listAround(other) === list) : []
    if (others.some((other) => isWithin(other, this.#node) && !Bun.deepEquals(linesAfter(other), lines))) {
      this.#refuseTwoValues(label)
    }
    return lines
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
   * table, changed, and not as missing. If several tables have the same headings, a warning says so. Headings alone mean that there are
   * none, blank rows mean nothing, and a notice in place of the rows must say that there are none.
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
    const saysNone = () => unless !== undefined && this.says(unless)
    const found = findGrid(this.#tables(), headings, this.#page.texts)
    if ('missing' in found) return saysNone() ? { headings: [...headings], rows: new Rows<Row>() } : found
    const { table, grid } = found
    expectEvenRows(grid, headings, this.name)
    this.#warnOfOthers(table, grid.headings)
    const columns = new Map(grid.headings.map((heading, column) => [wordsOf(heading), column] as const).reverse())
    const toCells = (line: Element[]) => line.map((cell) => this.#part(cell, this.name))
    const rows = toRows(grid.rows.map((line) => new TableRow(toCells(line), columns, this.#page.use)))
    const [notice] = grid.notices
    if (rows.length === 0 && notice !== undefined && !saysNone()) expectNoneNotice(notice, headings)
    const isNone = rows.length === 0 && (notice !== undefined || !grid.hasBlank)
    if (isNone) this.#page.use.noteNone(table)
    else if (rows.every((row) => row.isFiller)) this.#page.use.noteUnknown(table)
    return { headings: grid.headings, rows }
  }

  /** Another table with the same headings may have the rest of the list, or be about other parcels. */
  #warnOfOthers(table: Element, headings: readonly string[]): void {
    const tables = this.#tables()
    const others = tables.slice(tables.indexOf(table) + 1).filter((other) => !isWithin(other, table))
    const other = findGrid(others, headings, this.#page.texts)
    if ('missing' in other || other.grid.rows.length === 0 || !Bun.deepEquals(other.grid.headings, headings)) return
    noteWarning(`only the first of several tables with the headings "${headings.join('", "')}" was read`)
  }

  /** This table, and those in this region. */
  #tables(): Element[] {
    const inside = selectAll<AnyNode, Element>('table', this.#node)
    return this.#node instanceof Element && this.#node.name === 'table' ? [this.#node, ...inside] : inside
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
    const [table] = this.#tables()
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
    const [table] = this.#tables()
    if (table === undefined) return this.#missing('table')
    this.#noteContent(table)
    return new YearTable(
      gridOf(table).map((line) => line.map((cell) => this.#part(cell, this.name))),
      this.name,
      this.#page.use,
    )
  }

  /** Call it before rows are read. Tables of headings alone say that there are none. */
  #noteEmptyTables(node: Element): void {
    const tables = node.name === 'table' ? [node] : selectAll<AnyNode, Element>('table', node)
    const contents = new Set(tables.map(contentOf))
    if (contents.has('values') || contents.has(null)) return
    for (const table of tables) this.#noteContent(table)
  }

  #noteContent(table: Element): void {
    const content = contentOf(table)
    if (content === 'no rows') this.#page.use.noteNone(table)
    else if (content === 'no values') this.#page.use.noteUnknown(table)
  }

  /** Whether the element is in this region, and has a value beside it. A row or a block around a label and its value is not a label. */
  #hasValue(element: Element): boolean {
    if (!isWithin(element, this.#node) || !isPhrase(element)) return false
    const next = nextSeen(climbOut(element, this.#page))
    return next !== undefined && textOf(next) !== ''
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
