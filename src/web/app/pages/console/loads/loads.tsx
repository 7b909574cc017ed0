import { Link } from 'wouter'
import { Badge } from '../../../ui/badge'
import { Loaded } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { OlderRows } from '../../../ui/table/older-rows'
import { Time } from '../../../ui/time'
import { LOAD_TONES, nameOfLoad, useLoadsOf } from './load-api'
import { describeCounts } from './load-checks'
import { describeEnd } from './load-details'
import { LoadOrders } from './load-orders'
import { loadPath } from './load-path'

/** The loads of a source, newest first. */
export const Loads = ({ source }: { source: string }) => {
  const { loads, refresh } = useLoadsOf(source)
  const rows = loads.data?.pages.flatMap((page) => page.loads) ?? []
  return (
    <section className="card">
      <h2>Loads</h2>
      <Loaded query={loads} what="the loads">
        {() => (
          <>
            <DataTable
              label="Loads"
              rows={rows}
              keyOf={({ load }) => load.id}
              toneOf={({ load }) => (load.status === 'failed' ? 'bad' : load.status === 'held' ? 'warn' : null)}
              empty="Nothing has been loaded yet."
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
                { name: 'Status', cell: ({ load }) => <Badge tone={LOAD_TONES[load.status]}>{load.status}</Badge> },
                {
                  name: 'Parcels',
                  cell: ({ load }) => (
                    <span className="cell-message">{load.counts === null ? '' : describeCounts(load.counts)}</span>
                  ),
                },
                {
                  name: 'What happened',
                  cell: ({ load }) => <span className="cell-message">{describeEnd(load)}</span>,
                },
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
            <OlderRows count={rows.length} list={loads} />
          </>
        )}
      </Loaded>
    </section>
  )
}
