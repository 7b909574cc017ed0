import { type ReactNode, useMemo, useState } from 'react'

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
  /** With `onOrder`, the rows come in this order, and somebody else sorts them. Null: in no order of a column. */
  order?: Order | null
  onOrder?: (order: Order) => void
  /** Whether it stays a table on a phone, for figures that are compared by column. Otherwise each row is a card there. */
  isAlwaysTable?: boolean
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
}: Props<Row>) => {
  const [ownSort, setOwnSort] = useState(initialSort ?? null)
  const [sort, setSort] = onOrder === undefined ? [ownSort, setOwnSort] : [order, onOrder]
  const isSortedAlready = onOrder !== undefined
  const sorted = useMemo(() => {
    if (isSortedAlready) return rows
    const sortBy = columns.find(({ name }) => name === sort?.column)?.sortBy
    if (sort === null || sortBy === undefined) return rows
    return rows
      .map((row) => ({ row, value: sortBy(row) }))
      .sort((a, b) => compare(a.value, b.value, sort.isDescending ? -1 : 1))
      .map(({ row }) => row)
  }, [rows, columns, sort, isSortedAlready])
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
          {sorted.map((row) => (
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
