import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, at } from '../../api/api'
import { formatWords } from '../../format'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Loaded, Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'

const CADENCES = ['daily', 'weekly', 'monthly', 'quarterly', 'annual', 'tax-statement-window'] as const

const useSource = (source: string) =>
  useQuery({
    queryKey: ['sources', source],
    queryFn: ({ signal }) => ask(api.v1.sources({ source: at(source) }).get({ fetch: { signal } })),
    // The text does not change while someone edits it.
    refetchOnWindowFocus: false,
    gcTime: 0,
  })

type Source = NonNullable<ReturnType<typeof useSource>['data']>

export const SourceDialog = ({ source, onClose }: { source: string; onClose: () => void }) => {
  const found = useSource(source)
  return (
    <Dialog title={source} onClose={onClose}>
      <Loaded query={found} what="the source">
        {(data) => <SourceForm source={data} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

const SourceForm = ({ source, onClose }: { source: Source; onClose: () => void }) => {
  const queries = useQueryClient()
  const [cadence, setCadence] = useState(source.cadence)
  const [isAgriculturalOnly, setAgriculturalOnly] = useState(source.agricultural_only)
  const before = JSON.stringify(source.vendor_config ?? {}, null, 2)
  const [text, setText] = useState(before)
  const problem = findProblem(text)
  const save = useMutation({
    mutationFn: async () => {
      const name = { source: at(source.source) }
      if (text !== before) await ask(api.v1.sources(name).patch({ vendor_config: JSON.parse(text) }))
      const policy = {
        ...(cadence === source.cadence ? {} : { cadence }),
        ...(isAgriculturalOnly === source.agricultural_only ? {} : { agricultural_only: isAgriculturalOnly }),
      }
      if (Object.keys(policy).length > 0) await ask(api.v1['source-refresh-policies'](name).patch(policy))
    },
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
      <p className="quiet">
        {source.county_name}, {source.state} · {source.vendor} ·{' '}
        <a href={source.base_url} rel="noreferrer noopener" target="_blank">
          {source.base_url}
        </a>
      </p>
      <div className="filters">
        <Field label="Cadence">
          {(given) => (
            <select {...given} value={cadence} onChange={({ target }) => setCadence(target.value as typeof cadence)}>
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
            onChange={({ target }) => setAgriculturalOnly(target.checked)}
          />
          Agricultural parcels only
        </label>
      </div>
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
            value={text}
            onChange={({ target }) => {
              save.reset()
              setText(target.value)
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
