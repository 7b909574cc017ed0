import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  DEFAULT_LOAD_LIMITS,
  type LoadLimits,
  MIN_PARCELS_FOR_LIMITS,
} from '../../../../../../core/sources/load-limits'
import { api, ask, at } from '../../../api/api'
import { formatPercent } from '../../../format'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { withoutSaved } from '../../../ui/form/without-saved'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'

type LimitName = keyof LoadLimits
/** Null is the default. */
type StoredLimits = { [Name in LimitName]?: number | null }

const FIELDS: { name: LimitName; label: string; hint: string }[] = [
  { name: 'retired', label: 'Retired, %', hint: 'Parcels that it retires, because it does not list them.' },
  { name: 'emptied', label: 'Emptied, %', hint: 'Parcels that lose the value of one field.' },
  { name: 'owner', label: 'New owner, %', hint: 'Parcels that get another owner.' },
]

/** How much a load of a source may change without being held. */
export const LoadLimitsForm = ({ source, limits }: { source: string; limits: StoredLimits }) => {
  const queries = useQueryClient()
  /** The texts of the fields that were edited. The other fields show the stored limits. */
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const save = useMutation({
    mutationFn: (edited: typeof texts) =>
      ask(
        api.v1.sources({ source: at(source) }).patch({
          load_limits: Object.fromEntries(Object.entries(edited).map(([name, text]) => [name, toShare(text)])),
        }),
      ),
    onSuccess: async (_, edited) => {
      await queries.invalidateQueries({ queryKey: ['sources'] })
      setTexts((current) => withoutSaved(current, edited))
    },
  })
  // The service names the field, and its limit as a share: "load_limits.retired must be …".
  const refused = FIELDS.find(({ name }) => save.error?.message.startsWith(`load_limits.${name} `))?.name
  return (
    <section className="card">
      <h2>Limits of loads</h2>
      <p className="quiet">
        A load that would change more of the source’s parcels than this is held until an admin applies or discards it.
        100% never holds a load. A source with fewer than {MIN_PARCELS_FOR_LIMITS} parcels has no limits.
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(texts)
        }}
      >
        <div className="settings">
          {FIELDS.map(({ name, label, hint }) => (
            <Field
              key={name}
              label={label}
              hint={`${hint} If empty: ${formatPercent(DEFAULT_LOAD_LIMITS[name])}.`}
              error={name === refused ? 'Enter a percentage from 0 to 100.' : null}
            >
              {(given) => (
                <input
                  {...given}
                  type="number"
                  min={0}
                  max={100}
                  step="any"
                  placeholder={toPercent(DEFAULT_LOAD_LIMITS[name])}
                  value={texts[name] ?? toPercent(limits[name])}
                  onChange={({ target }) => {
                    save.reset()
                    setTexts({ ...texts, [name]: target.value })
                  }}
                />
              )}
            </Field>
          ))}
        </div>
        {refused === undefined && <Trouble error={save.error} />}
        {save.isSuccess && <Notice tone="good">Saved. The next load is compared with these limits.</Notice>}
        <div className="row">
          <Button type="submit" isBusy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </section>
  )
}

const toPercent = (share: number | null | undefined): string =>
  share == null ? '' : String(Number((share * 100).toPrecision(12)))

const toShare = (percent: string): number | null =>
  percent.trim() === '' ? null : Number((Number(percent) / 100).toPrecision(12))
