import { DASH, formatCount, formatDollars } from '../../format'
import { DataTable } from '../../ui/table/data-table'
import type { Parcel } from './parcel-api'

/** A building can have thousands of units. */
const ROWS_AT_A_TIME = 20

/** The rows of the assessor's roll, such as the units of a building. */
export const Accounts = ({ accounts }: Pick<Parcel, 'accounts'>) => {
  const rows = accounts.map((account, index) => ({ ...account, key: String(index) }))
  return (
    <section className="card accounts">
      <div className="card-head">
        <h2>Accounts</h2>
        <span className="quiet small">{formatCount(accounts.length)} in the roll</span>
      </div>
      <DataTable
        label="Accounts"
        sortName="sort_accounts"
        rowsAtATime={ROWS_AT_A_TIME}
        rows={rows}
        keyOf={({ key }) => key}
        empty=""
        columns={[
          {
            name: 'Account',
            isHead: true,
            cell: ({ account_id }) => account_id ?? DASH,
            sortBy: ({ account_id }) => account_id,
          },
          ...(accounts.some(({ unit }) => unit !== null)
            ? [{ name: 'Unit', cell: ({ unit }: (typeof rows)[number]) => unit ?? DASH }]
            : []),
          { name: 'Owner', cell: ({ owner_name }) => owner_name ?? DASH, sortBy: ({ owner_name }) => owner_name },
          { name: 'Mailing address', cell: ({ owner_mailing_address }) => owner_mailing_address ?? DASH },
          {
            name: 'Assessed value',
            isNumber: true,
            cell: ({ assessed_value }) => formatDollars(assessed_value),
            sortBy: ({ assessed_value }) => assessed_value,
          },
        ]}
      />
    </section>
  )
}
