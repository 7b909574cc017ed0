import { type ReactNode, useRef } from 'react'
import { Link } from 'wouter'
import { changeAddress, useAddressParams } from '../../address'
import { DASH, formatAcres, formatDay, formatDollars } from '../../format'
import { useKeptScroll } from '../../ui/page/kept-scroll'
import { type Column, DataTable } from '../../ui/table/data-table'
import { companyPath, idOf, parcelPath } from './entries'
import { LoadMore, useLoadMore } from './load-more'
import { type Hit, listRows, type ParcelHit, type Results } from './results'

interface ResultColumn {
  id: string
  name: string
  isNumber?: boolean
  /** The API's name of this order. Without it, a list cannot be sorted by the column. */
  sort?: string
  /** Whether only lists by filters have it, not searches by text. */
  isListed?: boolean
  cell: (parcel: ParcelHit) => ReactNode
  sortBy: (parcel: ParcelHit) => string | number | null
}

const money = (id: string, name: string, read: (parcel: ParcelHit) => number | null | undefined, sort?: string) => ({
  id,
  name,
  isNumber: true,
  ...(sort === undefined ? { isListed: true } : { sort }),
  cell: (parcel: ParcelHit) => formatDollars(read(parcel)),
  sortBy: (parcel: ParcelHit) => read(parcel) ?? null,
})
const words = (id: string, name: string, read: (parcel: ParcelHit) => string | null | undefined, isListed = false) => ({
  id,
  name,
  isListed,
  cell: (parcel: ParcelHit) => <span className="cell-words">{read(parcel) ?? DASH}</span>,
  sortBy: (parcel: ParcelHit) => read(parcel) ?? null,
})

/** The columns that can be chosen. The first one, the parcel, is always there. */
export const RESULT_COLUMNS: readonly ResultColumn[] = [
  words('owner', 'Owner', ({ owner_name }) => owner_name),
  words('city', 'City', ({ situs_city }) => situs_city),
  words('county', 'County', ({ county_name, state }) => `${county_name}, ${state}`),
  money('value', 'Assessed value', ({ assessed_value }) => assessed_value, 'assessed_value'),
  {
    id: 'acres',
    name: 'Acres',
    isNumber: true,
    isListed: true,
    sort: 'acreage',
    cell: ({ acreage }) => formatAcres(acreage),
    sortBy: ({ acreage }) => acreage ?? null,
  },
  words('use', 'Land use', ({ land_use_class }) => land_use_class, true),
  words('zoning', 'Zoning', ({ zoning_code }) => zoning_code, true),
  money('land', 'Land value', ({ value_land }) => value_land),
  money('buildings', 'Building value', ({ value_improvement }) => value_improvement),
  {
    id: 'updated',
    name: 'Updated',
    isListed: true,
    sort: 'updated_at',
    cell: ({ updated_at }) => (updated_at === undefined ? DASH : formatDay(updated_at)),
    sortBy: ({ updated_at }) => updated_at ?? null,
  },
]
const USUAL = 'owner,city,value,acres,use'

/** The ids of the chosen columns, which the URL has. */
export const useColumns = (): readonly string[] => (useAddressParams().get('columns') ?? USUAL).split(',')

/** @param ids in any order */
export const chooseColumns = (ids: readonly string[]): void => {
  const sorted = RESULT_COLUMNS.filter(({ id }) => ids.includes(id)).map(({ id }) => id)
  changeAddress({ columns: sorted.join() === USUAL ? null : sorted.join() || 'none' })
}

/** The hits as a table. The service sorts lists; the hits of a text are sorted as far as they are loaded. */
export const ResultsTable = ({ results }: { results: Results }) => {
  const chosen = useColumns()
  const end = useLoadMore<HTMLDivElement>(results)
  const table = useRef<HTMLDivElement>(null)
  const keepScroll = useKeptScroll('table', table, results.hits.length > 0)
  const isList = results.mode === 'list'
  const columns = RESULT_COLUMNS.filter(({ id, isListed = false }) => chosen.includes(id) && (isList || !isListed))
  return (
    <div
      ref={table}
      className="results-table"
      onScroll={keepScroll}
      data-stale={results.isPlaceholderData || undefined}
    >
      <DataTable<Exclude<Hit, { kind: 'owner-group' }>>
        label="Results"
        rows={listRows(results.hits)}
        keyOf={idOf}
        empty=""
        isAlwaysTable
        isSorted={isList}
        columns={[
          {
            name: 'Parcel',
            isHead: true,
            ...(isList ? {} : { sortBy: (hit) => (hit.kind === 'parcel' ? hit.situs_address : hit.name) }),
            cell: (hit) =>
              hit.kind === 'entity' ? (
                <Link href={companyPath(hit)}>{hit.name}</Link>
              ) : (
                <>
                  <Link href={parcelPath(hit)}>{hit.situs_address ?? hit.source_parcel_id}</Link>
                  {hit.situs_address !== null && <span className="cell-note">{hit.source_parcel_id}</span>}
                </>
              ),
          },
          ...columns.map(
            (column): Column<Exclude<Hit, { kind: 'owner-group' }>> => ({
              name: column.name,
              id: column.sort ?? column.id,
              isNumber: column.isNumber ?? false,
              cell: (hit) => (hit.kind === 'parcel' ? column.cell(hit) : DASH),
              ...(isList && column.sort === undefined
                ? {}
                : { sortBy: (hit) => (hit.kind === 'parcel' ? column.sortBy(hit) : null) }),
            }),
          ),
        ]}
      />
      <div ref={end} aria-hidden="true" className="hits-end" />
      <LoadMore results={results} />
    </div>
  )
}
