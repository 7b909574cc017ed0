import { useQuery } from '@tanstack/react-query'
import { api, ask, at } from '../../api/api'
import type { ParcelName } from '../map/map-parcel'

const listPortfolios = (signal: AbortSignal) => ask(api.v1.portfolios.get({ query: { limit: 500 }, fetch: { signal } }))

export const usePortfolios = () =>
  useQuery({ queryKey: ['portfolios'], queryFn: ({ signal }) => listPortfolios(signal) })

const getPortfolio = (id: string, signal: AbortSignal) =>
  ask(api.v1.portfolios({ id: at(id) }).get({ fetch: { signal } }))
export type Portfolio = Awaited<ReturnType<typeof getPortfolio>>
export type PortfolioParcel = Portfolio['parcels'][number]

export const usePortfolio = (id: string) =>
  useQuery({ queryKey: ['portfolios', id], queryFn: ({ signal }) => getPortfolio(id, signal) })

/** @throws Refusal */
export const addPortfolio = (name: string) => ask(api.v1.portfolios.post({ name }))
/** @throws Refusal */
export const renamePortfolio = (id: string, name: string) => ask(api.v1.portfolios({ id: at(id) }).patch({ name }))
/** @throws Refusal */
export const removePortfolio = (id: string) => ask(api.v1.portfolios({ id: at(id) }).delete())

/** Adds a parcel, or replaces its note and tags. @throws Refusal */
export const putParcel = (id: string, { source, source_parcel_id }: ParcelName, note: string, tags: string[]) =>
  ask(api.v1.portfolios({ id: at(id) }).parcels.post({ source, source_parcel_id, note, tags }))

/** @throws Refusal */
export const removeParcel = (id: string, { source, source_parcel_id }: ParcelName) =>
  ask(
    api.v1
      .portfolios({ id: at(id) })
      .parcels({ source: at(source) })({ parcel: at(source_parcel_id) })
      .delete(),
  )

export const useSavedSearches = () =>
  useQuery({
    queryKey: ['saved-searches'],
    queryFn: ({ signal }) => ask(api.v1['saved-searches'].get({ query: { limit: 500 }, fetch: { signal } })),
  })

/** @throws Refusal */
export const saveSearch = (name: string, query: string) => ask(api.v1['saved-searches'].post({ name, query }))
/** @throws Refusal */
export const removeSavedSearch = (id: string) => ask(api.v1['saved-searches']({ id: at(id) }).delete())

/** Tags as they are typed: separated by commas. */
export const readTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]
