import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ALERT_RULES, type AlertRuleName, ruleOf } from '../../../../../core/alerts/alert-rules'
import { PAGED } from '../../api/queries'
import { formatCount, formatDuration } from '../../format'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Loaded, Trouble } from '../../ui/loaded'
import { DataTable } from '../../ui/table/data-table'
import { OlderRows } from '../../ui/table/older-rows'
import { Time } from '../../ui/time'
import { cut } from '../parcel/format-value'
import { parcelPath } from '../search/entries'
import {
  type Delivery,
  describeFields,
  listDeliveries,
  nextTry,
  POLL_MS,
  replayDelivery,
  sendWatch,
  type Watch,
} from './watch-api'

const TONES = { pending: 'warn', delivered: 'good', failed: 'bad', recorded: 'plain' } as const

/** The changes or alerts that a watch matched, newest first, and what became of each. */
export const Deliveries = ({ watch, refresh }: { watch: Watch; refresh: () => Promise<void> }) => {
  const { id } = watch
  const deliveries = useInfiniteQuery({
    queryKey: ['watches', id, 'deliveries'],
    queryFn: ({ signal, pageParam }) => listDeliveries(id, pageParam, signal),
    ...PAGED,
    refetchInterval: POLL_MS,
  })
  const replay = useMutation({
    mutationFn: (delivery: string) => replayDelivery(id, delivery),
    onSuccess: refresh,
  })
  const send = useMutation({ mutationFn: () => sendWatch(id), onSuccess: refresh })
  const rows = deliveries.data?.pages.flatMap((page) => page.deliveries) ?? []
  const canReplay = watch.active && watch.webhook_url !== null
  const isForAlerts = watch.kind === 'alerts'
  const hasWaiting = rows.some((row) => row.status === 'pending' && nextTry(row, watch) !== null)
  return (
    <>
      <h2>{isForAlerts ? 'Messages' : 'Changes'}</h2>
      <Trouble error={replay.error ?? send.error} />
      {canReplay && hasWaiting && (
        <div className="row">
          <Button isBusy={send.isPending} onClick={() => send.mutate()}>
            Send now
          </Button>
          <span className="quiet small">
            Sends all deliveries that are waiting for a retry, for example after the receiver was repaired.
          </span>
        </div>
      )}
      <Loaded query={deliveries} what="the changes">
        {() => (
          <>
            <DataTable
              label={isForAlerts ? 'Messages of this watch' : 'Changes of this watch'}
              rows={rows}
              keyOf={(row) => row.id}
              toneOf={({ status }) => (status === 'failed' ? 'bad' : null)}
              empty={
                isForAlerts
                  ? 'No alert has been raised since this watch was added.'
                  : 'Nothing that this watch follows has changed since it was added.'
              }
              columns={[
                { name: isForAlerts ? 'Alerts' : 'Parcel', isHead: true, cell: (row) => <SubjectOf delivery={row} /> },
                ...(isForAlerts
                  ? []
                  : [
                      {
                        name: 'Fields',
                        cell: ({ fields }: Delivery) => (
                          <span className="cell-words">{fields !== null && describeFields(fields)}</span>
                        ),
                      },
                    ]),
                { name: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
                { name: isForAlerts ? 'Queued' : 'Matched', cell: ({ created_at }) => <Time at={created_at} /> },
                { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
                {
                  name: 'Result',
                  cell: (row) => <Result delivery={row} watch={watch} />,
                },
                {
                  name: 'Actions',
                  cell: (row) =>
                    canReplay &&
                    row.status !== 'pending' && (
                      <Button
                        className="small"
                        aria-label={describeReplay(row)}
                        isBusy={replay.isPending && replay.variables === row.id}
                        onClick={() => replay.mutate(row.id)}
                      >
                        Replay
                      </Button>
                    ),
                },
              ]}
            />
            <OlderRows count={rows.length} list={deliveries} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** The last response, and when a pending delivery is sent next. */
const Result = ({ delivery, watch }: { delivery: Delivery; watch: Watch }) => {
  const { status, error, response, response_status, duration_ms, attempts } = delivery
  const next = nextTry(delivery, watch)
  const said = error ?? (response_status === null ? null : `Status ${response_status}, ${formatDuration(duration_ms)}`)
  return (
    <>
      {said !== null && <span className="cell-message">{said}</span>}
      {error !== null && response && <span className="cell-note cell-message">“{cut(response)}”</span>}
      {status === 'pending' && watch.active && (
        <span className="cell-note">
          {next === null ? (
            'sent soon'
          ) : (
            <>
              {attempts === 0 ? 'sent' : 'next try'} <Time at={next} />
            </>
          )}
        </span>
      )}
    </>
  )
}

const SubjectOf = ({ delivery }: { delivery: Delivery }) => {
  const { source, source_parcel_id, action, alert_rule } = delivery
  if (alert_rule !== null) return <>{describeMessage(delivery)}</>
  if (source === null || source_parcel_id === null) return <>Test</>
  return (
    <>
      <Link href={parcelPath({ source, source_parcel_id })}>{source_parcel_id}</Link>
      <span className="cell-note">
        {source} · {action}
      </span>
    </>
  )
}

const describeReplay = (delivery: Delivery): string => {
  if (delivery.alert_rule !== null) return `Replay the message: ${describeMessage(delivery)}`
  return delivery.source_parcel_id === null ? 'Replay the test' : `Replay the change of ${delivery.source_parcel_id}`
}

/** `Source fails: 3 raised`. */
const describeMessage = ({ alert_rule, alert_state, alert_count }: Delivery): string =>
  `${isRule(alert_rule) ? ruleOf(alert_rule).title : alert_rule}: ${formatCount(alert_count ?? 0)} ${alert_state}`

const isRule = (name: string | null): name is AlertRuleName => name !== null && name in ALERT_RULES
