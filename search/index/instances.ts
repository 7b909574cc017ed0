import { ALL_STATES, type StateSet } from '../../core/state-set'
import type { MeilisearchAddress } from './indexes'

/** A Meilisearch instance and the states whose parcels and entities it has. */
export interface Instance extends MeilisearchAddress {
  states: StateSet
}

/** One Meilisearch for all states, or several. Each state belongs to exactly one. */
export type Meilisearches = MeilisearchAddress | readonly Instance[]

export const listInstances = (meili: Meilisearches): readonly Instance[] =>
  'url' in meili ? [{ ...meili, states: ALL_STATES }] : meili

/** Host and port. They name an instance in messages, metrics, the API, and its queue of changes. */
export const nameInstance = ({ url }: MeilisearchAddress): string => new URL(url).host
