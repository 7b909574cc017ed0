import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { changeAddress } from '../../../address'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { Trouble } from '../../../ui/loaded'
import { ConditionChips } from '../../search/filters/condition-chips'
import { FilterPanel } from '../../search/filters/filter-panel'
import { changeFilters, useFilters } from '../../search/filters/filters'
import { buildLayer } from './tiles-api'

/** A layer of the parcels that meet a filter. The page's address has the filter, and then the layer that is built. */
export const NewLayer = () => {
  const filters = useFilters()
  const [name, setName] = useState('')
  const build = useMutation({
    mutationFn: () => buildLayer(name, filters),
    onSuccess: ({ layer }) => {
      setName('')
      changeAddress({ layer })
    },
  })
  return (
    <section className="card" aria-labelledby="new-layer">
      <h2 id="new-layer">Layer with a filter</h2>
      <p className="quiet small">
        An archive of the parcels that meet a filter. Its tiles are public. Build it again when the data has changed.
      </p>
      <FilterPanel filters={filters} onChange={changeFilters} />
      <ConditionChips conditions={filters.conditions} onChange={changeFilters} />
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          build.mutate()
        }}
      >
        <Field label="Name of the layer" hint="Small letters, digits, _ and -">
          {(given) => (
            <input
              {...given}
              required
              maxLength={63}
              pattern="[a-z][a-z0-9_\-]*"
              autoComplete="off"
              spellCheck={false}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" isBusy={build.isPending}>
          Build layer
        </Button>
      </form>
      <Trouble error={build.error} />
    </section>
  )
}
