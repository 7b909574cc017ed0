import { countNoun } from '../../../../../core/text/count-noun'
import { YearChart } from '../../charts/year-chart'
import { DASH, formatDate, formatDollars } from '../../format'
import { Badge } from '../../ui/badge'
import { DataTable } from '../../ui/table/data-table'
import { Time } from '../../ui/time'
import { Card } from './card'
import type { Scrape } from './parcel-api'
import { taxByYear } from './tax-by-year'

/** Portals list some decades, but a scrape may have 1,000 entries of each kind. */
const ROWS_AT_A_TIME = 50

/** Text in a table's cell, which wraps instead of widening its column. */
const Words = ({ children }: { children: string | undefined }) => <span className="cell-words">{children ?? DASH}</span>

const BILL_TONES = { paid: 'good', unpaid: 'warn', partial: 'warn', delinquent: 'bad' } as const

type List<Name extends keyof Scrape> = NonNullable<Scrape[Name]>

/** What the last scrape found: values, bills, sales, buildings and exemptions. */
export const Scraped = ({ scrape }: { scrape: Scrape }) => {
  const {
    valuation_history: values = [],
    statements = [],
    sale_history: sales = [],
    sale_history_observed_at: salesSeenAt,
    improvements = [],
    exemptions = [],
  } = scrape
  return (
    <>
      {values.length > 0 && <Values values={values} />}
      {statements.length > 0 && <TaxBills statements={statements} />}
      <Sales sales={sales} seenAt={salesSeenAt} />
      {improvements.length > 0 && <Buildings improvements={improvements} />}
      {exemptions.length > 0 && <Exemptions exemptions={exemptions} />}
    </>
  )
}

const Values = ({ values }: { values: List<'valuation_history'> }) => (
  <Card title="Value" note={countNoun(values.length, 'year')}>
    <YearChart
      label={`Value by year, ${values.at(-1)?.year} to ${values[0]?.year}. The table below has the figures.`}
      series={[
        { name: 'Assessed', points: pointsOf(values, ({ assessed, total }) => assessed ?? total) },
        { name: 'Land', points: pointsOf(values, ({ land }) => land) },
        { name: 'Buildings', points: pointsOf(values, ({ improvement }) => improvement) },
      ]}
    />
    <DataTable
      label="Values by year"
      rowsAtATime={ROWS_AT_A_TIME}
      sortName="sort_values"
      isAlwaysTable
      rows={values}
      keyOf={({ year }) => String(year)}
      empty=""
      columns={[
        { name: 'Year', isHead: true, cell: ({ year }) => year, sortBy: ({ year }) => year },
        { name: 'Land', isNumber: true, cell: ({ land }) => formatDollars(land) },
        { name: 'Buildings', isNumber: true, cell: ({ improvement }) => formatDollars(improvement) },
        { name: 'Market', isNumber: true, cell: ({ total }) => formatDollars(total) },
        { name: 'Assessed', isNumber: true, cell: ({ assessed }) => formatDollars(assessed) },
      ]}
    />
  </Card>
)

const TaxBills = ({ statements }: { statements: List<'statements'> }) => (
  <Card title="Tax bills">
    <YearChart
      label={`Tax billed and tax still due, by year, ${statements.at(-1)?.tax_year} to ${statements[0]?.tax_year}. The table below has the figures.`}
      series={[
        { name: 'Billed', points: taxByYear(statements, 'billed') },
        { name: 'Still due', points: taxByYear(statements, 'due') },
      ]}
    />
    <DataTable
      label="Tax bills by year"
      rowsAtATime={ROWS_AT_A_TIME}
      sortName="sort_bills"
      isAlwaysTable
      rows={statements}
      keyOf={({ tax_year, bill_number }) => `${tax_year} ${bill_number}`}
      empty=""
      columns={[
        { name: 'Year', isHead: true, cell: ({ tax_year }) => tax_year, sortBy: ({ tax_year }) => tax_year },
        { name: 'Bill', cell: ({ bill_number }) => bill_number ?? DASH },
        { name: 'Billed', isNumber: true, cell: ({ billed }) => formatDollars(billed) },
        { name: 'Paid', isNumber: true, cell: ({ paid }) => formatDollars(paid) },
        { name: 'Due', isNumber: true, cell: ({ due }) => formatDollars(due) },
        { name: 'Due on', cell: ({ due_on }) => formatDate(due_on) },
        {
          name: 'Status',
          cell: ({ status }) =>
            status ? <Badge tone={BILL_TONES[status as keyof typeof BILL_TONES]}>{status}</Badge> : DASH,
        },
      ]}
    />
  </Card>
)

const Sales = ({ sales, seenAt }: { sales: List<'sale_history'>; seenAt: Scrape['sale_history_observed_at'] }) => (
  <Card
    title="Sales"
    note={
      seenAt && (
        <>
          seen <Time at={seenAt} />
        </>
      )
    }
  >
    <DataTable
      label="Recorded sales"
      rowsAtATime={ROWS_AT_A_TIME}
      sortName="sort_sales"
      rows={sales}
      keyOf={(sale) => JSON.stringify(sale)}
      empty="No recorded sales are known."
      columns={[
        {
          name: 'Sold on',
          isHead: true,
          cell: ({ sold_on }) => formatDate(sold_on),
          sortBy: ({ sold_on }) => sold_on ?? null,
        },
        {
          name: 'Price',
          isNumber: true,
          cell: ({ price }) => formatDollars(price),
          sortBy: ({ price }) => price ?? null,
        },
        { name: 'Deed', cell: ({ deed_type }) => <Words>{deed_type}</Words> },
        { name: 'Grantor', cell: ({ grantor }) => <Words>{grantor}</Words> },
        { name: 'Grantee', cell: ({ grantee }) => <Words>{grantee}</Words> },
      ]}
    />
  </Card>
)

const Buildings = ({ improvements }: { improvements: List<'improvements'> }) => (
  <Card title="Buildings">
    <DataTable
      label="Buildings"
      rowsAtATime={ROWS_AT_A_TIME}
      isAlwaysTable
      rows={improvements}
      keyOf={(building) => JSON.stringify(building)}
      empty=""
      columns={[
        {
          name: 'Building',
          isHead: true,
          cell: ({ description, type, number }) => <Words>{description ?? type ?? number}</Words>,
        },
        { name: 'Built', isNumber: true, cell: ({ year_built }) => year_built ?? DASH },
        {
          name: 'Square feet',
          isNumber: true,
          cell: ({ living_area_sq_ft }) => living_area_sq_ft?.toLocaleString('en-US') ?? DASH,
        },
        { name: 'Bedrooms', isNumber: true, cell: ({ bedrooms }) => bedrooms ?? DASH },
        { name: 'Bathrooms', isNumber: true, cell: ({ bathrooms }) => bathrooms ?? DASH },
        { name: 'Value', isNumber: true, cell: ({ value }) => formatDollars(value) },
      ]}
    />
  </Card>
)

const Exemptions = ({ exemptions }: { exemptions: List<'exemptions'> }) => (
  <Card title="Exemptions">
    <DataTable
      label="Exemptions"
      rowsAtATime={ROWS_AT_A_TIME}
      isAlwaysTable
      rows={exemptions}
      keyOf={(exemption) => JSON.stringify(exemption)}
      empty=""
      columns={[
        { name: 'Exemption', isHead: true, cell: ({ description, code }) => description ?? code ?? DASH },
        { name: 'Code', cell: ({ code }) => code ?? DASH },
        { name: 'Year', isNumber: true, cell: ({ year }) => year ?? DASH },
        { name: 'Amount', isNumber: true, cell: ({ amount }) => formatDollars(amount) },
      ]}
    />
  </Card>
)

const pointsOf = <Entry extends { year: number }>(entries: Entry[], read: (entry: Entry) => number | undefined) =>
  entries.flatMap((entry) => {
    const value = read(entry)
    return value === undefined ? [] : [{ year: entry.year, value }]
  })
