import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ALERT_RULES, type AlertRuleName, ruleOf } from '../../../../../core/alerts/alert-rules'
import { countNoun } from '../../../../../core/text/count-noun'
import { usePathParams } from '../../address'
import { useEvents } from '../../api/events'
import { formatCount, formatDuration } from '../../format'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/confirm'
import { Dialog } from '../../ui/dialog'
import { Fact } from '../../ui/fact'
import { Field } from '../../ui/form/field'
import { Loaded, Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { DataTable } from '../../ui/table/data-table'
import { OlderRows } from '../../ui/table/older-rows'
import { Time } from '../../ui/time'
import { useThrottled } from '../console/use-throttled'
import { cut } from '../parcel/format-value'
import { parcelPath } from '../search/entries'
import { ShowSecret } from './add-watch'
import {
  changeWatch,
  type Delivery,
  deleteWatch,
  describeFields,
  describeState,
  describeTarget,
  getWatch,
  listDeliveries,
  nextTry,
  replayDelivery,
  sendWatch,
  testWatch,
  type Watch,
  type WatchChange,
} from './watch-api'

const REFRESH_MS = 1_000
/** No event says what a receiver answered, so the page requests it. */
const POLL_MS = 5_000

const TONES = { pending: 'warn', delivered: 'good', failed: 'bad', recorded: 'plain' } as const

/** One watch: its settings, and the changes that it matched. */
export const WatchPage = () => {
  const { id } = usePathParams('/app/watches/:id')
  const queries = useQueryClient()
  const watch = useQuery({
    queryKey: ['watches', id],
    queryFn: ({ signal }) => getWatch(id, signal),
    refetchInterval: POLL_MS,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['watches', id] })
  useEvents(['watch'], useThrottled(refresh, REFRESH_MS))
  return (
    <Page
      title={watch.data ? `Watch: ${describeTarget(watch.data)}` : 'Watch'}
      lead={<Link href="/app/watches">All watches</Link>}
    >
      <Loaded query={watch} what="the watch">
        {(data) => (
          <>
            <Settings watch={data} refresh={refresh} />
            <Deliveries watch={data} refresh={refresh} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Settings = ({ watch, refresh }: { watch: Watch; refresh: () => Promise<void> }) => {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const [isRenewing, setRenewing] = useState(false)
  const change = useMutation({
    mutationFn: (wanted: WatchChange) => changeWatch(watch.id, wanted),
    onSuccess: refresh,
  })
  const test = useMutation({ mutationFn: () => testWatch(watch.id), onSuccess: refresh })
  const remove = useMutation({
    mutationFn: () => deleteWatch(watch.id),
    onSuccess: async () => {
      navigate('/app/watches')
      queries.removeQueries({ queryKey: ['watches', watch.id] })
      await queries.invalidateQueries({ queryKey: ['watches'] })
    },
  })
  const { tone, text } = describeState(watch)
  const secret = change.data?.webhook_secret ?? null
  const hasWebhook = watch.webhook_url !== null
  return (
    <section className="card">
      <dl className="facts">
        <Fact label="Follows">
          {watch.kind === 'alerts' ? '' : `${watch.kind}: `}
          {describeTarget(watch)}
        </Fact>
        {watch.kind !== 'alerts' && <Fact label="Fields">{describeFields(watch.fields)}</Fact>}
        <Fact label="Status">
          <Badge tone={tone}>{text}</Badge>
        </Fact>
        <Fact label="Webhook">{watch.webhook_url ?? 'none'}</Fact>
        {watch.missed_after !== null && (
          <Fact label="Missed">
            {countNoun(watch.missed, 'change')} after version {watch.missed_after}, because too many webhooks were
            waiting or too many watches of this account match
          </Fact>
        )}
        {watch.last_error !== null && <Fact label="Last error">{watch.last_error}</Fact>}
        {watch.held_until !== null && (
          <Fact label="Next try">
            <Time at={watch.held_until} />
          </Fact>
        )}
        {hasWebhook && (
          <Fact label="Last delivered">
            <Time at={watch.last_delivered_at} />
          </Fact>
        )}
        <Fact label="Added">
          <Time at={watch.created_at} /> by {watch.created_by}
        </Fact>
      </dl>
      {!watch.active && (
        <Notice>While the watch is paused, it records and sends nothing. It misses these changes.</Notice>
      )}
      <Trouble error={(isEditing || isRenewing ? null : change.error) ?? test.error} />
      <div className="row">
        <Button isBusy={change.isPending} onClick={() => change.mutate({ active: !watch.active })}>
          {watch.active ? 'Pause' : 'Resume'}
        </Button>
        {hasWebhook && watch.active && (
          <Button isBusy={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
        )}
        <Button onClick={() => setEditing(true)}>{hasWebhook ? 'Change the webhook' : 'Add a webhook'}</Button>
        {hasWebhook && <Button onClick={() => setRenewing(true)}>New secret</Button>}
        <Button kind="danger" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {secret !== null && <ShowSecret secret={secret} onClose={() => change.reset()} />}
      {isRenewing && (
        <Confirm
          title="Replace the secret?"
          action="Replace it"
          isBusy={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate({ new_secret: true }, { onSuccess: () => setRenewing(false) })}
          onClose={() => {
            setRenewing(false)
            if (change.isError) change.reset()
          }}
        >
          <p>
            The next message is signed with the new secret. A receiver that still checks with the old one refuses it.
          </p>
        </Confirm>
      )}
      {isEditing && (
        <EditWebhook
          url={watch.webhook_url}
          onClose={() => {
            setEditing(false)
            if (change.isError) change.reset()
          }}
          save={(webhook_url) => change.mutateAsync({ webhook_url })}
        />
      )}
      {isDeleting && (
        <Confirm
          title="Delete this watch?"
          action="Delete it"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          <p>Its log is deleted too, and what is pending is not sent.</p>
        </Confirm>
      )}
    </section>
  )
}

/** A dialog for the URL of the webhook. Without one, what is pending is only recorded. */
const EditWebhook = ({
  url,
  save,
  onClose,
}: {
  url: string | null
  save: (url: string | null) => Promise<unknown>
  onClose: () => void
}) => {
  const [text, setText] = useState(url ?? '')
  const saving = useMutation({
    mutationFn: () => save(text.trim() === '' ? null : text.trim()),
    onSuccess: onClose,
  })
  return (
    <Dialog title="Webhook" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate()
        }}
      >
        <Field
          label="Webhook URL"
          hint="Pending changes are sent to the new URL. If it is empty, changes are only listed here."
          error={saving.error?.message ?? null}
        >
          {(given) => (
            <input
              {...given}
              type="url"
              autoComplete="off"
              placeholder="https://"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={saving.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const Deliveries = ({ watch, refresh }: { watch: Watch; refresh: () => Promise<void> }) => {
  const { id } = watch
  const deliveries = useInfiniteQuery({
    queryKey: ['watches', id, 'deliveries'],
    queryFn: ({ signal, pageParam }) => listDeliveries(id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
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
                        aria-label={
                          row.alert_rule !== null
                            ? `Replay the message: ${describeMessage(row)}`
                            : row.source_parcel_id === null
                              ? 'Replay the test'
                              : `Replay the change of ${row.source_parcel_id}`
                        }
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

/** `Source fails: 3 raised`. */
const describeMessage = ({ alert_rule, alert_state, alert_count }: Delivery): string =>
  `${isRule(alert_rule) ? ruleOf(alert_rule).title : alert_rule}: ${formatCount(alert_count ?? 0)} ${alert_state}`

const isRule = (name: string | null): name is AlertRuleName => name !== null && name in ALERT_RULES
