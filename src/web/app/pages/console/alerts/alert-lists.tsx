import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { describeSpan, ruleOf } from '../../../../../../core/alerts/alert-rules'
import { fetchNext } from '../../../api/fetch-next'
import { PAGED } from '../../../api/queries'
import { formatMoment } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { type Alert, endSilence, listPastAlerts, MAX_RAISED, pathOfAlert, useRaisedAlerts } from './alert-api'
import { SilenceDialog } from './silence-dialog'

/** What an alert says, with a link to its page. */
const What = ({ alert }: { alert: Alert }) => {
  const path = pathOfAlert(alert)
  return (
    <>
      <span className="cell-words">{path === null ? alert.text : <Link href={path}>{alert.text}</Link>}</span>
      <span className="cell-note">{ruleOf(alert.rule).title}</span>
    </>
  )
}

/** Alerts that are raised now. Those that nobody has silenced come first. */
export const CurrentAlerts = () => {
  const queries = useQueryClient()
  const alerts = useRaisedAlerts({ isOn: true })
  const [silenced, setSilenced] = useState<Alert | null>(null)
  const end = useMutation({
    mutationFn: endSilence,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
  return (
    <Loaded query={alerts} what="the current alerts">
      {({ alerts: rows, next }) => (
        <>
          <Trouble error={end.error} />
          <DataTable
            label="Current alerts"
            rows={rows.toSorted((one, other) => Number(isSilenced(one)) - Number(isSilenced(other)))}
            keyOf={({ id }) => id}
            toneOf={(alert) => (isSilenced(alert) ? null : 'bad')}
            empty="There are no current alerts."
            columns={[
              { name: 'Alert', isHead: true, cell: (alert) => <What alert={alert} /> },
              { name: 'Raised', cell: ({ raised_at }) => <Time at={raised_at} /> },
              {
                name: 'Status',
                cell: (alert) =>
                  isSilenced(alert) ? (
                    <>
                      <Badge>silenced</Badge>
                      <span className="cell-note cell-words">
                        by {alert.silenced_by}, until {formatMoment(alert.silenced_until ?? '')}
                        {alert.silence_reason !== null && `: ${alert.silence_reason}`}
                      </span>
                    </>
                  ) : (
                    <Badge tone="bad">raised</Badge>
                  ),
              },
              {
                name: 'What to do',
                cell: ({ rule }) => <span className="cell-words">{ruleOf(rule).advice}</span>,
              },
              {
                name: 'Actions',
                cell: (alert) =>
                  isSilenced(alert) ? (
                    <Button
                      className="small"
                      aria-label={`End the silence: ${alert.text}`}
                      isBusy={end.isPending && end.variables === alert.id}
                      onClick={() => end.mutate(alert.id)}
                    >
                      End the silence
                    </Button>
                  ) : (
                    <Button className="small" aria-label={`Silence: ${alert.text}`} onClick={() => setSilenced(alert)}>
                      Silence
                    </Button>
                  ),
              },
            ]}
          />
          {next !== null && <p className="quiet small">Only the newest {MAX_RAISED} are shown.</p>}
          {silenced !== null && <SilenceDialog alert={silenced} onClose={() => setSilenced(null)} />}
        </>
      )}
    </Loaded>
  )
}

const isSilenced = ({ silenced_until }: Alert): boolean => silenced_until !== null

/** Alerts that have ended, newest first. */
export const PastAlerts = () => {
  const alerts = useInfiniteQuery({
    queryKey: ['alerts', 'resolved'],
    queryFn: ({ signal, pageParam }) => listPastAlerts(pageParam, signal),
    ...PAGED,
  })
  const rows = alerts.data?.pages.flatMap((page) => page.alerts) ?? []
  return (
    <Loaded query={alerts} what="past alerts">
      {() => (
        <>
          <DataTable
            label="Past alerts"
            rows={rows}
            keyOf={({ id }) => id}
            rowsAtATime={20}
            empty="No alert has ended in the last 90 days."
            columns={[
              { name: 'Alert', isHead: true, cell: (alert) => <What alert={alert} /> },
              { name: 'Raised', cell: ({ raised_at }) => <Time at={raised_at} /> },
              { name: 'Ended', cell: ({ resolved_at }) => <Time at={resolved_at} /> },
              {
                name: 'Lasted',
                isNumber: true,
                cell: ({ raised_at, resolved_at }) =>
                  describeSpan((Date.parse(resolved_at ?? raised_at) - Date.parse(raised_at)) / 1_000),
              },
            ]}
          />
          {alerts.hasNextPage && (
            <Button isBusy={alerts.isFetchingNextPage} onClick={() => fetchNext(alerts)}>
              Show older ones
            </Button>
          )}
        </>
      )}
    </Loaded>
  )
}
