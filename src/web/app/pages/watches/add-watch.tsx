import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useSource } from '../../api/sources'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/form/field'
import { Select } from '../../ui/form/select'
import { Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { useCoverage } from '../coverage/coverage-api'
import { addWatch, type NewWatch } from './watch-api'

type Kind = NewWatch['kind']

const WATCHES = '/app/watches'

/** What was typed. Only the fields of the chosen kind count. */
interface Draft {
  kind: Kind
  source: string
  parcelId: string
  owner: string
  polygon: string
  fields: string
  url: string
}

const KINDS = [
  ['parcel', 'One parcel'],
  ['owner', 'An owner'],
  ['source', 'All parcels of a county'],
  ['polygon', 'An area'],
] as const

/**
 * A dialog that adds a watch, and shows the secret of its webhook once. `parcel`: the watch is for that parcel. `target`: what the fields
 * say at first.
 */
export const AddWatch = ({
  parcel,
  target,
  onClose,
}: {
  parcel?: { source: string; source_parcel_id: string }
  target?: Partial<Draft>
  onClose: () => void
}) => {
  const queries = useQueryClient()
  const isOnWatches = useLocation()[0] === WATCHES
  const [draft, setDraft] = useState<Draft>({
    kind: 'parcel',
    owner: '',
    polygon: '',
    fields: '',
    url: '',
    source: parcel?.source ?? '',
    parcelId: parcel?.source_parcel_id ?? '',
    ...target,
  })
  const change = (changed: Partial<Draft>) => {
    // A request in progress goes on: its response has the secret.
    if (!add.isPending) add.reset()
    setDraft({ ...draft, ...changed })
  }
  const problem = draft.kind === 'polygon' ? findProblem(draft.polygon) : null
  const needsSource = draft.source === '' && (draft.kind === 'parcel' || draft.kind === 'source')
  const add = useMutation({
    mutationFn: () => addWatch(toWatch(draft)),
    onSuccess: async ({ webhook_secret }) => {
      await queries.invalidateQueries({ queryKey: ['watches'] })
      // The page Watches shows the new watch below its dialog. Other pages show nothing of it.
      if (webhook_secret === null && isOnWatches) onClose()
    },
  })
  const secret = add.data?.webhook_secret ?? null
  const isForAlerts = draft.kind === 'alerts'
  if (secret !== null) return <ShowSecret secret={secret} onClose={onClose} />
  if (add.isSuccess && !isOnWatches) return <Added onClose={onClose} />
  return (
    <Dialog
      title={isForAlerts ? 'Webhook for alerts' : parcel === undefined ? 'New watch' : 'Watch this parcel'}
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate()
        }}
      >
        {isForAlerts ? null : parcel === undefined ? (
          <Target draft={draft} problem={problem} change={change} />
        ) : (
          <p className="quiet">
            {parcel.source_parcel_id} · <CountyOf source={parcel.source} />
          </p>
        )}
        {!isForAlerts && (
          <Field
            label="Fields"
            hint="Only these fields count, by their names in the API: owner_name, assessed_value ... Leave it empty for all."
          >
            {(given) => (
              <input
                {...given}
                autoComplete="off"
                value={draft.fields}
                onChange={({ target }) => change({ fields: target.value })}
              />
            )}
          </Field>
        )}
        <Field
          label="Webhook"
          hint={
            isForAlerts
              ? 'The https URL that receives the alerts. It must be on the public internet.'
              : 'An https URL on the public internet that receives the changes. Leave it empty to see them only here.'
          }
        >
          {(given) => (
            <input
              {...given}
              required={isForAlerts}
              type="url"
              autoComplete="off"
              placeholder="https://"
              value={draft.url}
              onChange={({ target }) => change({ url: target.value })}
            />
          )}
        </Field>
        <Trouble error={add.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={add.isPending} disabled={problem !== null || needsSource}>
            {isForAlerts ? 'Add the webhook' : 'Add the watch'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Two sources can have a county of the same name, so their slugs are shown, too. */
const SourceMenu = ({ source, onChange }: { source: string; onChange: (source: string) => void }) => {
  const { data } = useCoverage()
  const names = new Map(data?.sources.map((one) => [one.source, `${one.county_name}, ${one.state} (${one.source})`]))
  // A source that a link names, and until the counties are known.
  if (source !== '' && !names.has(source)) names.set(source, source)
  const options = [...names].sort(([, a], [, b]) => a.localeCompare(b))
  return <Select label="County" value={source} options={[['', 'Choose a county'], ...options]} onChange={onChange} />
}

const CountyOf = ({ source }: { source: string }) => {
  const { data } = useSource(source)
  return data === undefined ? source : `${data.county_name}, ${data.state}`
}

const Target = ({
  draft,
  problem,
  change,
}: {
  draft: Draft
  problem: string | null
  change: (changed: Partial<Draft>) => void
}) => (
  <>
    <Select label="Follow" value={draft.kind} options={KINDS} onChange={(kind) => change({ kind })} />
    {(draft.kind === 'parcel' || draft.kind === 'source') && (
      <SourceMenu source={draft.source} onChange={(source) => change({ source })} />
    )}
    {draft.kind === 'parcel' && (
      <Field label="Parcel id" hint="As the county writes it.">
        {(given) => (
          <input
            {...given}
            required
            autoComplete="off"
            value={draft.parcelId}
            onChange={({ target }) => change({ parcelId: target.value })}
          />
        )}
      </Field>
    )}
    {draft.kind === 'owner' && (
      <Field label="Owner" hint="Case, punctuation and endings such as LLC or Inc. are compared as in search.">
        {(given) => (
          <input
            {...given}
            required
            autoComplete="off"
            value={draft.owner}
            onChange={({ target }) => change({ owner: target.value })}
          />
        )}
      </Field>
    )}
    {draft.kind === 'polygon' && (
      <Field
        label="Area"
        hint="A GeoJSON Polygon or MultiPolygon with at most 1,000 positions."
        error={draft.polygon === '' ? null : problem}
      >
        {(given) => (
          <textarea
            {...given}
            className="code"
            required
            spellCheck={false}
            autoComplete="off"
            value={draft.polygon}
            onChange={({ target }) => change({ polygon: target.value })}
          />
        )}
      </Field>
    )}
  </>
)

/** Why the text is not a JSON object; null if it is one. */
const findProblem = (text: string): string | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'This is not a GeoJSON object.'
  } catch {
    return 'This is not JSON.'
  }
}

const toWatch = ({ kind, source, parcelId, owner, polygon, fields, url }: Draft): NewWatch => {
  const names = fields.split(/[\s,]+/).filter(Boolean)
  return {
    kind,
    ...(kind === 'parcel' || kind === 'source' ? { source: source.trim() } : {}),
    ...(kind === 'parcel' ? { source_parcel_id: parcelId.trim() } : {}),
    ...(kind === 'owner' ? { owner_name: owner.trim() } : {}),
    ...(kind === 'polygon' ? { polygon: JSON.parse(polygon) as NonNullable<NewWatch['polygon']> } : {}),
    ...(names.length === 0 ? {} : { fields: names }),
    ...(url.trim() === '' ? {} : { webhook_url: url.trim() }),
  }
}

/** Says where the changes of a watch without a webhook are. */
const Added = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="The watch was added" onClose={onClose}>
    <p>
      Its changes are on the page <Link href={WATCHES}>Watches</Link>.
    </p>
    <div className="dialog-foot">
      <Button kind="primary" onClick={onClose}>
        Close
      </Button>
    </div>
  </Dialog>
)

/** The secret of a webhook, which is shown once. */
export const ShowSecret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="The webhook’s secret" loses="The secret is shown only once. Have you copied it?" onClose={onClose}>
    <Notice tone="warn">Copy the secret now. It is shown only once. The receiver checks signatures with it.</Notice>
    <code className="secret" data-testid="webhook-secret">
      {secret}
    </code>
    <div className="dialog-foot">
      <CopyButton text={secret} label="Copy the secret" />
      <Button kind="primary" onClick={onClose}>
        I have it
      </Button>
    </div>
  </Dialog>
)
