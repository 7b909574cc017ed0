import { ALL_STATES, hasNoStates, type StateSet, subtractStates } from '../../core/state-set'
import { findBuild } from './index-build'
import { connectMeilisearch, type IndexNames } from './indexes'
import type { Instance } from './instances'

/** How often to check which states the index has. They change when `MEILI_URLS` does. */
const LOOK_EVERY_MS = 5_000
const TIMEOUT_MS = 2_000

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
 * and has the former ones until they are deleted. Each call returns the last known states and may start a check in the background.
 * Until the first check has ended, the index counts as complete.
 */
export const followLiveStates = (instance: Instance, indexes: IndexNames): (() => LiveStates) => {
  const client = connectMeilisearch(instance, TIMEOUT_MS)
  let live: LiveStates = { states: instance.states, isClean: true }
  let nextLook = 0
  const look = async () => {
    const build = await findBuild(client, indexes)
    // Without an index, each search detects that itself.
    if (build === null) return
    const states = build.states ?? ALL_STATES
    live = { states, isClean: hasNoStates(subtractStates(states, instance.states)) }
  }
  return () => {
    if (performance.now() >= nextLook) {
      nextLook = performance.now() + LOOK_EVERY_MS
      look().catch(() => {})
    }
    return live
  }
}
