import { Link } from 'wouter'
import { at } from '../../../api/api'
import { Loaded } from '../../../ui/loaded'
import { useFirstEntries } from '../../../ui/table/first-entries'
import { Time } from '../../../ui/time'
import { type FollowedLoad, nameOfLoad, useHeldLoads } from './load-api'
import { describeCounts, LoadChecks } from './load-checks'
import { LoadOrders } from './load-orders'

/** One change of many sources can hold all their loads, and the page is about the sources. */
const FIRST = 5

/** A card for each load that is held: why, with examples. Shows nothing if there is none. */
export const HeldLoads = () => {
  const { loads, refresh } = useHeldLoads()
  return (
    <Loaded query={loads} what="the held loads">
      {(rows) => <FirstHeld rows={rows} refresh={refresh} />}
    </Loaded>
  )
}

const FirstHeld = ({ rows, refresh }: { rows: FollowedLoad[]; refresh: () => Promise<void> }) => {
  const { shown, showAll } = useFirstEntries(rows, FIRST)
  return (
    <>
      {shown.map(({ load, work }) => (
        <HeldLoad key={load.id} load={load} work={work} refresh={refresh} />
      ))}
      {showAll}
    </>
  )
}

const HeldLoad = ({ load, work, refresh }: FollowedLoad & { refresh: () => Promise<void> }) => (
  <section className="card" aria-label={`Held load of ${load.source}`}>
    <div className="card-head">
      <h2>
        A load of <Link href={`/app/console/sources/${at(load.source)}`}>{load.source}</Link> is{' '}
        {load.status === 'held' ? 'held' : 'being applied'}
      </h2>
      <span className="quiet small">
        {nameOfLoad(load)}, <Time at={load.judged_at ?? load.created_at} />
      </span>
    </div>
    {load.status === 'held' && <p>It would change too much. None of it is visible until you apply it.</p>}
    {load.counts && <p className="quiet small">Parcels: {describeCounts(load.counts)}.</p>}
    <LoadChecks load={load} />
    <LoadOrders load={load} work={work} refresh={refresh} />
  </section>
)
