import { Link } from 'wouter'
import { formatCount } from '../../format'
import { Badge } from '../../ui/badge'
import { DataTable } from '../../ui/data-table'
import { Loaded } from '../../ui/loaded'
import { Time } from '../../ui/time'
import { LOAD_TONES, type Load, nameOfLoad, useLoadsOf } from './load-api'
import { describeUndo } from './load-details'
import { LoadOrders } from './load-orders'
import { loadPath } from './load-path'

const SHOWN = 20

/** The last loads of a source. */
export const Loads = ({ source }: { source: string }) => {
  const { loads, refresh } = useLoadsOf(source, SHOWN)
  return (
    <section className="card">
      <h2>Loads</h2>
      <Loaded query={loads} what="its loads">
        {(rows) => (
          <DataTable
            label="Loads"
            rows={rows}
            keyOf={({ load }) => load.id}
            toneOf={({ load }) => (load.status === 'failed' ? 'bad' : load.status === 'held' ? 'warn' : null)}
            empty="Nothing was loaded yet."
            columns={[
              {
                name: 'Load',
                isHead: true,
                cell: ({ load }) => (
                  <>
                    <Link href={loadPath(source, load.id)}>{nameOfLoad(load)}</Link>
                    <span className="cell-note">
                      <Time at={load.created_at} />
                    </span>
                  </>
                ),
              },
              { name: 'State', cell: ({ load }) => <Badge tone={LOAD_TONES[load.status]}>{load.status}</Badge> },
              { name: 'New', isNumber: true, cell: ({ load }) => formatCount(load.counts?.inserted ?? 0) },
              { name: 'Changed', isNumber: true, cell: ({ load }) => formatCount(load.counts?.updated ?? 0) },
              { name: 'Unchanged', isNumber: true, cell: ({ load }) => formatCount(load.counts?.unchanged ?? 0) },
              { name: 'Retired', isNumber: true, cell: ({ load }) => formatCount(load.counts?.retired ?? 0) },
              { name: 'Rejected', isNumber: true, cell: ({ load }) => formatCount(load.counts?.rejected ?? 0) },
              { name: 'What happened', cell: ({ load }) => <span className="cell-message">{describeEnd(load)}</span> },
              {
                name: 'Actions',
                cell: ({ load, work }) =>
                  load.status === 'held' && work === null ? (
                    <Link href="/app/console/health">Apply or discard</Link>
                  ) : (
                    <LoadOrders load={load} work={work} refresh={refresh} />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  )
}

const describeEnd = ({ undo, note }: Load): string => (undo === null ? (note ?? '') : describeUndo(undo))
