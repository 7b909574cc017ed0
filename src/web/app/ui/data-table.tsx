import { type ReactNode, useMemo, useState } from 'react'
import { formatCount } from '../format'
import { Button } from './button'

export interface Column<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** The value that rows are sorted by. A column without it cannot be sorted. Null is last in both directions. */
  sortBy?: (row: Row) => string | number | boolean | null
  isNumber?: boolean
  /** Whether its cells are the rows' headers, for screen readers. */
  isHead?: boolean
}

export interface Order {
  /** Name of the column. */
  column: string
  isDescending: boolean
}

interface Props<Row> {
  /** What the table shows, for screen readers. */
  label: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  toneOf?: (row: Row) => 'bad' | 'warn' | null
  empty: string
  initialSort?: Order
  /** With `onOrder`, the caller sorts the rows, and this is their order. Null: not sorted by a column. */
  order?: Order | null
  onOrder?: (order: Order) => void
  /** Whether it stays a table on a phone, for figures that are compared by column. Otherwise each row is a card there. */
  isAlwaysTable?: boolean
  /** How many rows are shown first, and with each "Show more". Omitted: all. */
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
  initialSort,
  order = null,
  onOrder,
  isAlwaysTable = false,
  rowsAtATime = Number.POSITIVE_INFINITY,
}: Props<Row>) => {
  const [ownSort, setOwnSort] = useState(initialSort ?? null)
  const [sort, setSort] = onOrder === undefined ? [ownSort, setOwnSort] : [order, onOrder]
  const isSortedAlready = onOrder !== undefined
  const [pages, setPages] = useState(1)
  const sorted = useMemo(() => {
    if (isSortedAlready) return rows
    const sortBy = columns.find(({ name }) => name === sort?.column)?.sortBy
    if (sort === null || sortBy === undefined) return rows
    return rows
      .map((row) => ({ row, value: sortBy(row) }))
      .sort((a, b) => compare(a.value, b.value, sort.isDescending ? -1 : 1))
      .map(({ row }) => row)
  }, [rows, columns, sort, isSortedAlready])
  const rest = sorted.length - pages * rowsAtATime
  if (rows.length === 0) return <p className="empty">{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`table-scroll ${isAlwaysTable ? '' : 'cards'}`} aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, sortBy, isNumber }) => {
              const isSorted = sort?.column === name
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
                      onClick={() =>
                        setSort({ column: name, isDescending: isSorted ? !sort.isDescending : isNumber === true })
                      }
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
          <Button onClick={() => setPages(pages + 1)}>Show {formatCount(Math.min(rest, rowsAtATime))} more</Button>
        </div>
      )}
    </section>
  )
}

type Value = string | number | boolean | null

const compare = (a: Value, b: Value, direction: 1 | -1): number => {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return (a < b ? -1 : 1) * direction
}
