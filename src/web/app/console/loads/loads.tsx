import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { at } from '../../api/api'
import { formatCount, formatFieldName } from '../../format'
import { formatValue } from '../../parcel/format-value'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/confirm'
import { DataTable } from '../../ui/data-table'
import { Loaded } from '../../ui/loaded'
import type { Tone } from '../../ui/notice'
import { Progress } from '../../ui/progress'
import { Time } from '../../ui/time'
import { type Load, type LoadAction, type LoadWork, orderOnLoad, useHeldLoads, useLoadsOf } from './load-api'

const SHOWN = 20
const KINDS = { ingest: 'File', crawl: 'Full scrape' } as const
const TONES: Record<Load['status'], Tone> = {
  staging: 'plain',
  held: 'warn',
  applying: 'plain',
  applied: 'good',
  discarded: 'plain',
  undone: 'plain',
  failed: 'bad',
}

type Check = NonNullable<Load['verdict']>['checks'][number]

/** A card for each load that is held: why, with examples. Shows nothing if there is none. */
export const HeldLoads = () => {
  const { loads, refresh } = useHeldLoads()
  return (
    <Loaded query={loads} what="the held loads">
      {(rows) => rows.map(({ load, work }) => <HeldLoad key={load.id} load={load} work={work} refresh={refresh} />)}
    </Loaded>
  )
}

interface LoadProps {
  load: Load
  work: LoadWork | null
  refresh: () => Promise<void>
}

const HeldLoad = ({ load, work, refresh }: LoadProps) => {
  const [wanted, setWanted] = useState<LoadAction | null>(null)
  const checks = load.verdict?.checks ?? []
  const over = checks.filter(({ is_over }) => is_over)
  return (
    <section className="card" aria-label={`Held load of ${load.source}`}>
      <div className="card-head">
        <h2>
          A load of <Link href={`/app/console/sources/${at(load.source)}`}>{load.source}</Link> is{' '}
          {load.status === 'held' ? 'held' : 'being applied'}
        </h2>
        <span className="quiet small">
          {KINDS[load.kind]}
          {load.file !== null && ` ${load.file}`}, <Time at={load.judged_at ?? load.created_at} />
        </span>
      </div>
      {load.status === 'held' && <p>It would change too much. Nothing of it is visible until you apply it.</p>}
      {load.counts && <p className="quiet small">{describeCounts(load.counts)}</p>}
      {over.map((check) => (
        <div key={`${check.check} ${check.field}`} className="stack">
          <p>
            <strong>{describeCheck(check)}</strong>
          </p>
          <DataTable
            label={`Examples: ${describeCheck(check)}`}
            rows={check.examples}
            keyOf={({ source_parcel_id }) => source_parcel_id}
            empty="There are no examples."
            columns={[
              {
                name: 'Parcel',
                isHead: true,
                cell: ({ source_parcel_id: id }) => (
                  <Link href={`/app/parcels/${at(load.source)}/${at(id)}`}>{id}</Link>
                ),
              },
              {
                name: 'Former → new',
                cell: ({ former, new: next }) => (
                  <span className="cell-message">
                    {formatExample(check, former)} → {formatExample(check, next)}
                  </span>
                ),
              },
            ]}
          />
        </div>
      ))}
      {load.status === 'held' ? (
        <div className="row">
          <Button kind="primary" onClick={() => setWanted('apply')}>
            Apply
          </Button>
          <Button kind="danger" onClick={() => setWanted('discard')}>
            Discard
          </Button>
        </div>
      ) : (
        <div aria-live="polite">
          <WorkProgress load={load} work={work} />
        </div>
      )}
      {wanted !== null && (
        <ConfirmOrder load={load} action={wanted} refresh={refresh} onClose={() => setWanted(null)} />
      )}
    </section>
  )
}

/** The last loads of a source. */
export const Loads = ({ source }: { source: string }) => {
  const { loads, refresh } = useLoadsOf(source, SHOWN)
  const [undone, setUndone] = useState<Load | null>(null)
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
                    <Time at={load.created_at} />
                    <span className="cell-note">{load.file ?? KINDS[load.kind]}</span>
                  </>
                ),
              },
              { name: 'State', cell: ({ load }) => <Badge tone={TONES[load.status]}>{load.status}</Badge> },
              { name: 'New', isNumber: true, cell: ({ load }) => formatCount(load.counts?.inserted ?? 0) },
              { name: 'Changed', isNumber: true, cell: ({ load }) => formatCount(load.counts?.updated ?? 0) },
              { name: 'Unchanged', isNumber: true, cell: ({ load }) => formatCount(load.counts?.unchanged ?? 0) },
              { name: 'Retired', isNumber: true, cell: ({ load }) => formatCount(load.counts?.retired ?? 0) },
              { name: 'Rejected', isNumber: true, cell: ({ load }) => formatCount(load.counts?.rejected ?? 0) },
              { name: 'What happened', cell: ({ load }) => <span className="cell-message">{describeEnd(load)}</span> },
              {
                name: 'Undo',
                cell: ({ load, work }) =>
                  work !== null ? (
                    <WorkProgress load={load} work={work} />
                  ) : load.status === 'held' ? (
                    <Link href="/app/console/health">Apply or discard</Link>
                  ) : load.status === 'applied' || load.status === 'failed' ? (
                    <Button
                      className="small"
                      aria-label={`Undo the load ${load.file ?? load.id}`}
                      onClick={() => setUndone(load)}
                    >
                      Undo
                    </Button>
                  ) : null,
              },
            ]}
          />
        )}
      </Loaded>
      {undone !== null && (
        <ConfirmOrder load={undone} action="undo" refresh={refresh} onClose={() => setUndone(null)} />
      )}
    </section>
  )
}

const ORDERS: Record<LoadAction, { title: string; action: string; text: string }> = {
  apply: {
    title: 'Apply this load?',
    action: 'Apply it',
    text: 'All its changes become visible. You can undo it later on the page of the source.',
  },
  discard: {
    title: 'Discard this load?',
    action: 'Discard it',
    text: 'Nothing of it becomes visible. To get it again, load the file or scrape the source again.',
  },
  undo: {
    title: 'Undo this load?',
    action: 'Undo it',
    text: 'Every field that it changed gets its former value again. Parcels that it created are retired, and parcels that it retired return. Fields that were changed again later keep their values.',
  },
}

const ConfirmOrder = ({
  load,
  action,
  refresh,
  onClose,
}: {
  load: Load
  action: LoadAction
  refresh: () => Promise<void>
  onClose: () => void
}) => {
  const order = useMutation({
    mutationFn: async () => {
      await orderOnLoad[action](load.id)
    },
    onSuccess: async () => {
      await refresh()
      onClose()
    },
  })
  const { title, action: verb, text } = ORDERS[action]
  return (
    <Confirm
      title={title}
      action={verb}
      isBusy={order.isPending}
      error={order.error}
      onConfirm={() => order.mutate()}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  )
}

const WorkProgress = ({ load, work }: { load: Load; work: LoadWork | null }) => {
  if (work === null || !work.isRunning) return <Progress label="Waiting for a worker" share={null} />
  if (work.action === 'undo') return <Progress label={`${formatCount(work.done)} parcels undone`} share={null} />
  const { inserted, updated, unchanged, retired } = load.counts ?? NO_COUNTS
  const total = inserted + updated + unchanged + retired
  return (
    <Progress
      label={`${formatCount(work.done)} of ${formatCount(total)} parcels`}
      share={total === 0 ? null : Math.min(1, work.done / total)}
    />
  )
}

const NO_COUNTS = { inserted: 0, updated: 0, unchanged: 0, retired: 0 }

const formatShare = (share: number): string => `${(share * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%`

const describeCheck = ({ check, field, count, share, limit }: Check): string => {
  const parcels = `${formatCount(count)} ${count === 1 ? 'parcel' : 'parcels'}`
  const what = {
    retired: `It would retire ${parcels}`,
    emptied: `It would empty “${formatFieldName(field ?? '')}” of ${parcels}`,
    owner: `It would change the owner of ${parcels}`,
  }[check]
  return `${what}: ${formatShare(share)} of the source. The limit is ${formatShare(limit)}.`
}

const describeCounts = ({ inserted, updated, unchanged, retired, rejected }: NonNullable<Load['counts']>): string =>
  `${formatCount(inserted)} new, ${formatCount(updated)} changed, ${formatCount(unchanged)} unchanged, ${formatCount(retired)} retired, ${formatCount(rejected)} rejected.`

const formatExample = ({ field }: Check, value: unknown): string =>
  value == null || value === '' ? '(empty)' : formatValue(field ?? '', value)

const describeEnd = ({ undo, note }: Load): string =>
  undo === null
    ? (note ?? '')
    : `${formatCount(undo.restored)} parcels restored, ${formatCount(undo.retired)} retired, ${formatCount(undo.kept)} with newer changes kept`
