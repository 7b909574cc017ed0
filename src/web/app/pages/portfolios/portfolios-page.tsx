import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { formatCount } from '../../format'
import { ForReaders } from '../../session/for-readers'
import { Button } from '../../ui/button'
import { NameField } from '../../ui/form/name-field'
import { Loaded, Trouble } from '../../ui/loaded'
import { Page } from '../../ui/page/page'
import { DataTable } from '../../ui/table/data-table'
import { Time } from '../../ui/time'
import { addPortfolio, removeSavedSearch, usePortfolios, useSavedSearches } from './portfolio-api'

/** The parcels and searches that an account keeps. */
export const PortfoliosPage = () => (
  <Page title="Saved" lead="Parcels and searches that you keep. Everyone who uses your account sees them.">
    <ForReaders purpose="see what you have saved">
      <Portfolios />
      <SavedSearches />
    </ForReaders>
  </Page>
)

const Portfolios = () => {
  const portfolios = usePortfolios()
  return (
    <section className="card">
      <h2>Portfolios</h2>
      <Loaded query={portfolios} what="your portfolios">
        {({ portfolios: rows }) => (
          <DataTable
            label="Your portfolios"
            rows={rows}
            keyOf={({ id }) => id}
            empty="No portfolios yet. Add one here, or save a parcel on its page."
            columns={[
              {
                name: 'Portfolio',
                isHead: true,
                sortBy: ({ name }) => name.toLowerCase(),
                cell: ({ id, name }) => <Link href={`/app/portfolios/${id}`}>{name}</Link>,
              },
              {
                name: 'Parcels',
                isNumber: true,
                sortBy: ({ parcel_count }) => parcel_count,
                cell: ({ parcel_count }) => formatCount(parcel_count),
              },
              {
                name: 'Added',
                sortBy: ({ created_at }) => created_at,
                cell: ({ created_at }) => <Time at={created_at} />,
              },
            ]}
          />
        )}
      </Loaded>
      <NewPortfolio />
    </section>
  )
}

const NewPortfolio = () => {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: () => addPortfolio(name),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['portfolios'] })
      navigate(`/app/portfolios/${id}`)
    },
  })
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <NameField label="New portfolio" value={name} onChange={setName} />
      <Button type="submit" isBusy={add.isPending}>
        Add
      </Button>
      <Trouble error={add.error} />
    </form>
  )
}

const SavedSearches = () => {
  const queries = useQueryClient()
  const searches = useSavedSearches()
  const remove = useMutation({
    mutationFn: removeSavedSearch,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['saved-searches'] }),
  })
  return (
    <section className="card">
      <h2>Searches</h2>
      <Trouble error={remove.error} />
      <Loaded query={searches} what="your searches">
        {({ searches: rows }) => (
          <DataTable
            label="Your searches"
            sortName="sort_searches"
            rows={rows}
            keyOf={({ id }) => id}
            empty="No searches yet. Save one on the search page."
            columns={[
              {
                name: 'Search',
                isHead: true,
                sortBy: ({ name }) => name.toLowerCase(),
                cell: ({ name, query }) => <Link href={`/app/search?${query}`}>{name}</Link>,
              },
              {
                name: 'Saved',
                sortBy: ({ created_at }) => created_at,
                cell: ({ created_at }) => <Time at={created_at} />,
              },
              {
                name: 'Actions',
                cell: ({ id, name }) => (
                  <Button
                    kind="quiet"
                    aria-label={`Delete the search ${name}`}
                    isBusy={remove.isPending && remove.variables === id}
                    onClick={() => remove.mutate(id)}
                  >
                    Delete
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  )
}
