import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { countNoun } from '../../../../../core/text/count-noun'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/confirm'
import { Dialog } from '../../ui/dialog'
import { Fact } from '../../ui/fact'
import { Field } from '../../ui/form/field'
import { Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Time } from '../../ui/time'
import { ShowSecret } from './add-watch'
import {
  changeWatch,
  deleteWatch,
  describeFields,
  describeState,
  describeTarget,
  testWatch,
  type Watch,
  type WatchChange,
} from './watch-api'

/** What a watch follows and where it sends, and the buttons that change it. */
export const WatchSettings = ({ watch, refresh }: { watch: Watch; refresh: () => Promise<void> }) => {
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
