import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SOURCE_TEXT } from '../../../../../../core/bounds'
import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import { api, ask, at } from '../../../api/api'
import { findSource, type Source } from '../../../api/sources'
import { formatWords } from '../../../format'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/form/field'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { STATES } from '../../search/filters/states'

const CADENCES = ['daily', 'weekly', 'monthly', 'quarterly', 'annual', 'tax-statement-window'] as const

type Own = Pick<Source, 'vendor' | 'base_url' | 'county_name' | 'state' | 'license' | 'attribution'>

/** The vendors that have an adapter. */
const useVendors = (): string[] => {
  const found = useQuery({
    queryKey: ['concurrency', 'names'],
    queryFn: ({ signal }) => ask(api.v1.admin.concurrency.get({ query: {}, fetch: { signal } })),
  })
  return found.data?.vendors.map(({ vendor }) => vendor) ?? []
}

export const SourceDialog = ({ source, onClose }: { source: string; onClose: () => void }) => {
  const found = useQuery({
    queryKey: ['sources', source],
    queryFn: ({ signal }) => findSource(source, signal),
    // The text does not change while someone edits it.
    refetchOnWindowFocus: false,
    gcTime: 0,
  })
  return (
    <Dialog title={source} onClose={onClose}>
      <Loaded query={found} what="the source">
        {(data) => <SourceForm source={data} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

/** What the form has in it. `config`: the text of vendor_config. */
interface Draft {
  own: Own
  cadence: Source['cadence']
  isAgriculturalOnly: boolean
  config: string
}

const draftOf = (source: Source): Draft => ({
  own: {
    vendor: source.vendor,
    base_url: source.base_url,
    county_name: source.county_name,
    state: source.state,
    license: source.license,
    attribution: source.attribution,
  },
  cadence: source.cadence,
  isAgriculturalOnly: source.agricultural_only,
  config: JSON.stringify(source.vendor_config ?? {}, null, 2),
})

/** Sends only what differs, so that two people can change different fields at the same time. */
const saveDraft = async (source: Source, { own, cadence, isAgriculturalOnly, config }: Draft): Promise<void> => {
  const name = { source: at(source.source) }
  const changed = Object.fromEntries(
    Object.entries(own).filter(([field, value]) => value !== source[field as keyof Own]),
  ) as Partial<Own>
  const change = {
    ...changed,
    ...(config === draftOf(source).config ? {} : { vendor_config: JSON.parse(config) }),
  }
  if (Object.keys(change).length > 0) await ask(api.v1.sources(name).patch(change))
  const policy = {
    ...(cadence === source.cadence ? {} : { cadence }),
    ...(isAgriculturalOnly === source.agricultural_only ? {} : { agricultural_only: isAgriculturalOnly }),
  }
  if (Object.keys(policy).length > 0) await ask(api.v1['source-refresh-policies'](name).patch(policy))
}

const SourceForm = ({ source: current, onClose }: { source: Source; onClose: () => void }) => {
  const queries = useQueryClient()
  // What someone else changes in the meantime was not edited here.
  const [source] = useState(current)
  const [draft, setDraft] = useState(() => draftOf(source))
  const { own, cadence, isAgriculturalOnly, config } = draft
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }))
  const problem = findProblem(config)
  const save = useMutation({
    mutationFn: () => saveDraft(source, draft),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['sources'] })
      onClose()
    },
  })
  // The service names the field: "vendor_config.layer_url must be …".
  const isAboutConfig = save.error?.message.startsWith('vendor_config') ?? false
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <div className="filters">
        <Field label="Cadence">
          {(given) => (
            <select
              {...given}
              value={cadence}
              onChange={({ target }) => change({ cadence: target.value as typeof cadence })}
            >
              {CADENCES.map((value) => (
                <option key={value} value={value}>
                  {formatWords(value)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <label className="checkbox">
          <input
            type="checkbox"
            checked={isAgriculturalOnly}
            onChange={({ target }) => change({ isAgriculturalOnly: target.checked })}
          />
          Agricultural parcels only
        </label>
      </div>
      <OwnFields
        own={own}
        formerVendor={source.vendor}
        onChange={(changed) => change({ own: { ...own, ...changed } })}
        onVendor={(vendor) =>
          change({ own: { ...own, vendor }, config: vendor === source.vendor ? draftOf(source).config : '{}' })
        }
      />
      <Field
        label="vendor_config"
        hint="JSON. It replaces all current settings, and must match the vendor’s schema."
        error={problem ?? (isAboutConfig ? (save.error?.message ?? null) : null)}
      >
        {(given) => (
          <textarea
            {...given}
            className="code"
            spellCheck={false}
            autoComplete="off"
            value={config}
            onChange={({ target }) => {
              save.reset()
              change({ config: target.value })
            }}
          />
        )}
      </Field>
      <SchemaFields schema={source.vendor_config_schema ?? null} />
      {!isAboutConfig && <Trouble error={save.error} />}
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" isBusy={save.isPending} disabled={problem !== null}>
          Save
        </Button>
      </div>
    </form>
  )
}

/** The fields of the source itself. */
const OwnFields = ({
  own,
  formerVendor,
  onChange,
  onVendor,
}: {
  own: Own
  formerVendor: string
  onChange: (changed: Partial<Own>) => void
  onVendor: (vendor: string) => void
}) => {
  const vendors = useVendors()
  return (
    <>
      <div className="filters">
        <Field label="County">
          {(given) => (
            <input
              {...given}
              autoComplete="off"
              value={own.county_name}
              onChange={({ target }) => onChange({ county_name: target.value })}
            />
          )}
        </Field>
        <Field label="State">
          {(given) => (
            <select {...given} value={own.state} onChange={({ target }) => onChange({ state: target.value })}>
              {STATES.map((code) => (
                <option key={code}>{code}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Vendor" hint="With another vendor, the settings below must fit it.">
          {(given) => (
            <select {...given} value={own.vendor} onChange={({ target }) => onVendor(target.value)}>
              {[...new Set([formerVendor, FILE_VENDOR, ...vendors])].sort().map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field
        label={own.vendor === FILE_VENDOR ? 'URL of the file' : 'URL of the portal'}
        hint={own.vendor === FILE_VENDOR ? 'Leave it empty if files are loaded by hand.' : ''}
      >
        {(given) => (
          <input
            {...given}
            type="url"
            autoComplete="off"
            value={own.base_url}
            onChange={({ target }) => onChange({ base_url: target.value.trim() })}
          />
        )}
      </Field>
      <div className="filters">
        <Field label="License" hint="Best as an SPDX id, for example CC-BY-4.0. Exports name it.">
          {(given) => (
            <input
              {...given}
              autoComplete="off"
              maxLength={SOURCE_TEXT.license}
              value={own.license ?? ''}
              onChange={({ target }) => onChange({ license: textOrNull(target.value) })}
            />
          )}
        </Field>
        <Field label="Attribution" hint="Whom to credit for the data. Exports name it.">
          {(given) => (
            <input
              {...given}
              autoComplete="off"
              maxLength={SOURCE_TEXT.attribution}
              value={own.attribution ?? ''}
              onChange={({ target }) => onChange({ attribution: textOrNull(target.value) })}
            />
          )}
        </Field>
      </div>
    </>
  )
}

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** Why the text is not a JSON object; null if it is one. */
const findProblem = (text: string): string | null => {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? null : 'vendor_config must be a JSON object: {…}'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : error}`
  }
}

const SchemaFields = ({ schema }: { schema: object | null }) => {
  if (schema === null) return <Notice tone="warn">There is no adapter for this vendor.</Notice>
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { type?: string; description?: string; default?: unknown }>
    required?: string[]
  }
  const fields = Object.entries(properties)
  if (fields.length === 0) return <p className="quiet small">This vendor has no settings.</p>
  return (
    <details>
      <summary>{fields.length === 1 ? '1 setting' : `All ${fields.length} settings`} of this vendor</summary>
      <dl className="facts schema">
        {fields.map(([name, { type, description, default: byDefault }]) => (
          <div key={name} className="contents">
            <dt>
              <code>{name}</code>
              {required.includes(name) && ' (required)'}
            </dt>
            <dd>
              {[description, type, byDefault === undefined ? null : `default ${JSON.stringify(byDefault)}`]
                .filter(Boolean)
                .join(' · ')}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
