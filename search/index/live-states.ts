import { waitAtMost } from '../../core/concurrency/wait-at-most'
import { ServiceError } from '../../core/service-error'
import { ALL_STATES, hasNoStates, type StateSet, subtractStates } from '../../core/state-set'
import { findBuild } from './index-build'
import { connectMeilisearch, type IndexNames } from './indexes'
import type { Instance } from './instances'

/** How often to check which states the index has. They change when `MEILI_URLS` does. */
const LOOK_EVERY_MS = 5_000
const TIMEOUT_MS = 2_000
/** How long a search waits for the first check. */
const FIRST_LOOK_MS = 700

/** What the live index of an instance has. */
export interface LiveStates {
  states: StateSet
  /** It has only the states of its instance. */
  isClean: boolean
}

/** What the index of the only instance has. */
export const COMPLETE: LiveStates = { states: ALL_STATES, isClean: true }

/**
 * Follows which states the live index of an instance has. After a change of `MEILI_URLS` it lacks the new states until it is rebuilt,
 * and has the former ones until they are deleted. Each call returns the last known states and may start a check in the background. As
 * long as none are known, it waits for the check.
 *
 * @throws ServiceError `search_unavailable`, or the error of Meilisearch, while no states are known
 */
export const followLiveStates = (instance: Instance, indexes: IndexNames): (() => Promise<LiveStates>) => {
  const client = connectMeilisearch(instance, TIMEOUT_MS)
  let live: LiveStates | null = null
  let looking: Promise<LiveStates> | null = null
  let nextLook = 0
  const look = async (): Promise<LiveStates> => {
    try {
      const build = await findBuild(client, indexes)
      // Without an index, each search detects that itself.
      const states = build === null ? (live?.states ?? instance.states) : (build.states ?? ALL_STATES)
      live = { states, isClean: hasNoStates(subtractStates(states, instance.states)) }
      return live
    } finally {
      looking = null
    }
  }
  return async () => {
    if (live !== null && performance.now() < nextLook) return live
    if (looking === null) {
      nextLook = performance.now() + LOOK_EVERY_MS
      looking = look()
      looking.catch(() => {})
    }
    if (live !== null) return live
    const first = await waitAtMost(FIRST_LOOK_MS, looking)
    if (first !== 'late') return first
    throw new ServiceError('search_unavailable', 'Meilisearch does not say which states its index has')
  }
}
