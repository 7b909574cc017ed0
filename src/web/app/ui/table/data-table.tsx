import { type ReactNode, useMemo, useState } from 'react'
import { changeAddress, useAddressText } from '../../address'
import { formatCount } from '../../format'
import { Button } from '../button'
import { keepForReturn, recallOnReturn } from '../page/navigation'

export interface Column<Row> {
  name: string
  /** Its name in the URL of a sorted table. Omitted: its name in lower case, such as `assessed_value`. */
  id?: string
  cell: (row: Row) => ReactNode
  /** The value that rows are sorted by. A column without it cannot be sorted. Null is last in both directions. */
  sortBy?: (row: Row) => string | number | boolean | null
  isNumber?: boolean
  /** Whether its cells are the rows' headers, for screen readers. */
  isHead?: boolean
}

interface Props<Row> {
  /** What the table shows, for screen readers. */
  label: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  toneOf?: (row: Row) => 'bad' | 'warn' | null
  empty: string
  /** The query parameter of the URL that has the order: the id of a column, with `-` for descending. Each sortable table of a page has its own. */
  sortName?: string
  /** The order while the URL has none. */
  initialSort?: string
  /** The rows are already in the order of the URL: the service sorts them. */
  isSorted?: boolean
  /** Whether it stays a table on a phone, for figures that are compared by column. Otherwise each row is a card there. */
  isAlwaysTable?: boolean
  /** How many rows are shown first, and added by "Show more". Omitted: all. */
  rowsAtATime?: number
}

/** A sortable table, which scrolls by itself when it is wider than the page. */
export const DataTable = <Row,>({
  label,
  columns,
  rows,
  keyOf,
  toneOf,
  empty,
  sortName = 'sort',
  initialSort = '',
  isSorted: isSortedAlready = false,
  isAlwaysTable = false,
  rowsAtATime = Number.POSITIVE_INFINITY,
}: Props<Row>) => {
  const sort = findOrder(columns, useAddressText(sortName)) ?? findOrder(columns, initialSort)
  const [pages, setPages] = useState(() => recallOnReturn(label) ?? 1)
  const showPages = (count: number): void => {
    setPages(count)
    keepForReturn(label, count)
  }
  const sorted = useMemo(() => {
    if (isSortedAlready || sort === null) return rows
    return rows
      .map((row) => ({ row, value: sort.sortBy(row) }))
      .sort((a, b) => compare(a.value, b.value, sort.isDescending ? -1 : 1))
      .map(({ row }) => row)
  }, [rows, sort, isSortedAlready])
  const rest = sorted.length - pages * rowsAtATime
  if (rows.length === 0) return <p className="empty">{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`table-scroll ${isAlwaysTable ? '' : 'cards'}`} aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => {
              const { name, sortBy, isNumber } = column
              const isSorted = sort?.id === idOf(column)
              const isDescending = isSorted ? !sort.isDescending : isNumber === true
              return (
                <th
                  key={name}
                  scope="col"
                  className={isNumber ? 'number' : undefined}
                  aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
                >
                  {sortBy ? (
                    <button
                      type="button"
                      onClick={() => changeAddress({ [sortName]: `${isDescending ? '-' : ''}${idOf(column)}` })}
                    >
                      {name}
                      <span aria-hidden="true" className="sort-mark">
                        {isSorted ? (sort.isDescending ? '↓' : '↑') : '↕'}
                      </span>
                    </button>
                  ) : (
                    name
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, pages * rowsAtATime).map((row) => (
            <tr key={keyOf(row)} className={toneOf?.(row) ?? undefined}>
              {columns.map(({ name, cell, isNumber, isHead }) => {
                const className = isNumber ? 'number' : undefined
                return isHead ? (
                  <th key={name} scope="row" className={className}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} className={className} data-label={name}>
                    {cell(row)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <div className="row">
          <span className="quiet small">
            {formatCount(sorted.length - rest)} of {formatCount(sorted.length)} shown
          </span>
          {rest > rowsAtATime && (
            <Button onClick={() => showPages(pages + 1)}>Show {formatCount(rowsAtATime)} more</Button>
          )}
          <Button onClick={() => showPages(Number.POSITIVE_INFINITY)}>Show all {formatCount(sorted.length)}</Button>
        </div>
      )}
    </section>
  )
}

const idOf = ({ id, name }: { id?: string; name: string }): string =>
  id ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')

/** The order that the URL names. Null: it names no column that can be sorted. */
const findOrder = <Row,>(columns: Column<Row>[], text: string) => {
  const isDescending = text.startsWith('-')
  const id = isDescending ? text.slice(1) : text
  const sortBy = columns.find((column) => idOf(column) === id)?.sortBy
  return sortBy === undefined ? null : { id, isDescending, sortBy }
}

type Value = string | number | boolean | null

const compare = (a: Value, b: Value, direction: 1 | -1): number => {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return (a < b ? -1 : 1) * direction
}
