import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { wordsOf } from '../../reading/text'
import { present, readMoney, readMoneyTotal, readYearIn } from '../../reading/values'
import type { Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { type Grid, readGrid } from './grid'

type ValueName = keyof Config['values']
type Values = Partial<Record<ValueName, number>>
/** A county's own label, a known one, or one whose rows are added up. */
type Label = string | RegExp | { parts: RegExp }

/** Known labels of the amounts, the best first. They are rows in some counties and headings in others. */
const LABELS: Record<ValueName, readonly Label[]> = {
  land: [/^land value$/, /^total land value$/, /^market land value$/, /^assessed land value$/, /^emv land$/],
  improvement: [
    /^improvements? value$/,
    /^building value$/,
    // Iowa: either may be 0.
    { parts: /^assessed (?:dwelling|building) value$/ },
    /^emv improvement$/,
  ],
  total: [
    /^total value \(appraised 100%\)$/,
    /^total appraised value$/,
    /^just (?:\(market\)|market) value$/,
    /^just market$/,
    /^emv \(estimated market value\) total$/,
  ],
  assessed: [
    /^total value \((?:assessed|appraised) 35%\)$/,
    /^net assessed value$/,
    /^assessed value$/,
    /^total assessed value$/,
  ],
  taxable: [/^taxable value$/, /^total taxable value$/],
}
/** Labels that a part of the improvements may have. */
const PARTS = /\b(?:dwelling|building)\b/
const NAMES = Object.keys(LABELS) as ValueName[]

/** The grids of the valuation, and of its history. The grid of land has the last id, too. It has no year and is not read. */
const CURRENT = ['_grdValuation', '_gvValuation', '_grdValuation_grdYearData']
const HISTORY = ['_grdHistory', '_gvValuationHistorical', '_grdLand_grdFlat']

const YEAR_HEADING = /^(?:(?:tax|valuation|assessment|assessed|roll) )?year$/
const PRELIMINARY = /\b(?:working|preliminary|proposed)\b/
const CLASS = /\bclass\b/

/** The cells of one year and, if the grid has them, one class. */
interface Entry {
  year: number
  isPreliminary: boolean
  class: string | undefined
  cells: { label: string; amount: Region | undefined }[]
}

/** All grids together, newest year first. Undefined: the page has no information about values. */
export const readValuations = (page: Region, own: Config['values'], hasSection: boolean): Valuation[] | undefined => {
  const current = gridsOf(page, CURRENT).map(listEntries)
  const history = gridsOf(page, HISTORY).map(listEntries)
  if (hasSection && current.length === 0) {
    throw new ScrapeError('page_changed', 'no table of years under "Valuation"')
  }
  const wanted = wantedLabels(own)
  for (const entries of current) expectKnown(entries, wanted)
  const labels = new Set([...current, ...history].flat(2).flatMap(({ cells }) => cells.map(({ label }) => label)))
  const missing = NAMES.find((name) => own[name] !== undefined && current.length > 0 && !labels.has(wordsOf(own[name])))
  if (missing !== undefined) throw new ScrapeError('page_changed', `no "${own[missing]}" under "Valuation"`)
  const years = [
    ...current.flatMap((entries) => readYears(entries, wanted)),
    ...history.flatMap((entries) => readYears(entries, wanted).map((found) => ({ ...found, isOld: true }))),
  ]
  if (years.some(({ values }) => values === undefined)) {
    noteWarning('a year has several rows of unknown meaning, so the values were left out')
    return undefined
  }
  const merged = mergeYears(years as KnownYear[])
  return merged.length === 0 ? undefined : merged
}

const gridsOf = (page: Region, ids: readonly string[]): Grid[] =>
  page.all(ids.map((id) => `table[id$="${id}"]`).join(', ')).map((table) => readGrid(table, 'Valuation'))

const listEntries = (grid: Grid): Entry[] => {
  const years = grid.headings.map(readYearIn)
  const first = years.findIndex((year) => year !== undefined)
  if (first > 0) return entriesByColumn(grid, years, first - 1)
  const column = grid.headings.findIndex((heading) => YEAR_HEADING.test(heading))
  return column === -1 ? [] : entriesByRow(grid, column)
}

/** One column per year. The label is right before the years; a column with a sign may come before it. */
const entriesByColumn = ({ headings, rows }: Grid, years: (number | undefined)[], label: number): Entry[] =>
  years.flatMap((year, column) =>
    year === undefined
      ? []
      : {
          year,
          isPreliminary: PRELIMINARY.test(headings[column] ?? ''),
          class: undefined,
          cells: rows.map((row) => ({ label: wordsOf(row[label]?.text ?? ''), amount: row[column] })),
        },
  )

/** One row per year, or one per year and class. */
const entriesByRow = ({ headings, rows }: Grid, yearColumn: number): Entry[] => {
  const classColumn = headings.findIndex((heading) => CLASS.test(heading))
  return rows.map((row) => {
    const shown = row[yearColumn]?.text ?? ''
    const year = readYearIn(shown)
    if (year === undefined) throw new ScrapeError('page_changed', `"${shown}" is not a year, in "Valuation"`)
    return {
      year,
      isPreliminary: PRELIMINARY.test(wordsOf(shown)),
      class: row[classColumn]?.text,
      cells: row.map((amount, column) => ({ label: headings[column] ?? '', amount })),
    }
  })
}

const wantedLabels = (own: Config['values']): ReadonlyMap<ValueName, readonly Label[]> =>
  new Map(
    NAMES.map((name) => {
      const label = own[name]
      return [name, label === undefined ? LABELS[name] : [wordsOf(label)]] as const
    }),
  )

const matches = (label: Label, words: string): boolean =>
  typeof label === 'string' ? label === words : ('parts' in label ? label.parts : label).test(words)

/** @throws ScrapeError `page_changed` for a grid without a known year or label: the county may have values that were not understood */
const expectKnown = (entries: readonly Entry[], wanted: ReadonlyMap<ValueName, readonly Label[]>): void => {
  if (entries.length === 0) throw new ScrapeError('page_changed', 'no year in the table of "Valuation"')
  const labels = new Set(entries.flatMap(({ cells }) => cells.map(({ label }) => label)))
  const known = [...wanted.values()].flat()
  if (labels.values().some((words) => known.some((label) => matches(label, words)))) return
  throw new ScrapeError('page_changed', `no known label under "Valuation", which has "${[...labels].join('", "')}"`)
}

interface YearFound {
  year: number
  isPreliminary: boolean
  isOld?: boolean
  /** Undefined: it is not known what the year's rows mean. */
  values: Values | undefined
}
type KnownYear = YearFound & { values: Values }

/** Adds up the classes of a year. If their names do not differ, their meaning is unclear. */
const readYears = (entries: readonly Entry[], wanted: ReadonlyMap<ValueName, readonly Label[]>): YearFound[] =>
  Map.groupBy(entries, ({ year, isPreliminary }) => `${year} ${isPreliminary}`)
    .values()
    .flatMap((parts): YearFound[] => {
      const [first] = parts as [Entry, ...Entry[]]
      const { year, isPreliminary } = first
      if (parts.length === 1) return [{ year, isPreliminary, values: readValues([first], wanted) }]
      const classes = new Set(parts.map((part) => part.class ?? ''))
      const areParts =
        classes.size === parts.length && !classes.has('') && ![...classes].some((name) => /total/i.test(name))
      return [{ year, isPreliminary, values: areParts ? readValues(parts, wanted) : undefined }]
    })
    .toArray()

const readValues = (parts: readonly Entry[], wanted: ReadonlyMap<ValueName, readonly Label[]>): Values =>
  present<Record<ValueName, number>>(
    Object.fromEntries(
      NAMES.map((name) => {
        const amounts = parts.map(({ cells }) => amountsOf(inFull(cells), wanted.get(name) ?? []))
        return [
          name,
          amounts.some((found) => found === undefined)
            ? undefined
            : readMoneyTotal(amounts.flatMap((found) => found ?? [])),
        ]
      }),
    ) as Record<ValueName, number | undefined>,
  )

/** Undefined: the entry has no such label. @throws ScrapeError `page_changed` for two amounts where one is expected */
const amountsOf = (cells: Entry['cells'], labels: readonly Label[]): string[] | undefined => {
  for (const label of labels) {
    const found = cells.filter(({ label: words }) => matches(label, words))
    if (found.length === 0) continue
    const amounts = found.map(({ amount }) => amount?.text ?? '')
    // The sum would lack a part with another label.
    const isWhole = cells.filter(({ label: words }) => PARTS.test(words)).length === found.length
    if (typeof label === 'object' && 'parts' in label) return isWhole ? amounts : []
    if (new Set(amounts.map(readMoney)).size === 1) return amounts.slice(0, 1)
    const names = found.map((cell) => `"${cell.label}"`).join(' and ')
    throw new ScrapeError('page_changed', `${names} differ within one year of "Valuation"`)
  }
  return undefined
}

/** Ohio may repeat land and buildings at 35% of their value. Each part ends with its total. */
const inFull = (cells: Entry['cells']): Entry['cells'] => {
  const kept: Entry['cells'] = []
  let part: Entry['cells'] = []
  for (const cell of cells) {
    part.push(cell)
    if (!/^total value \(/.test(cell.label)) continue
    kept.push(...(cell.label.includes('35%') ? [cell] : part))
    part = []
  }
  return [...kept, ...part]
}

/** Certified values before preliminary ones, the current grid before its history. */
const mergeYears = (found: readonly KnownYear[]): Valuation[] => {
  const rank = ({ isPreliminary, isOld }: KnownYear) => (isPreliminary ? 2 : isOld ? 1 : 0)
  const years = new Map<number, KnownYear>()
  for (const next of found.toSorted((one, other) => rank(one) - rank(other))) {
    const known = years.get(next.year)
    if (known === undefined) years.set(next.year, next)
    else if (rank(known) === rank(next)) years.set(next.year, { ...known, values: mergeValues(known, next) })
  }
  return [...years.values()]
    .filter(({ values }) => Object.keys(values).length > 0)
    .map(({ year, values }) => ({ year, ...values }))
    .sort((one, other) => other.year - one.year)
}

/** @throws ScrapeError `page_changed` when two grids differ */
const mergeValues = (one: KnownYear, other: KnownYear): Values => {
  const differing = NAMES.find(
    (name) =>
      one.values[name] !== undefined && other.values[name] !== undefined && one.values[name] !== other.values[name],
  )
  if (differing === undefined) return { ...one.values, ...other.values }
  throw new ScrapeError('page_changed', `two tables have different "${differing}" values of ${one.year}`)
}
