import { ServiceError } from '../../../core/service-error'
import { ALL_STATES, hasNoStates, subtractStates } from '../../../core/state-set'
import {
  type Build,
  deleteOtherStates,
  dropShadowIndexes,
  type EndedTasks,
  findBuild,
  writeStates,
} from '../../index/index-build'
import type { SyncContext } from '../context'

/** The shadow indexes of a rebuild that this or another process did not finish, and documents of states that the instance had before. */
export interface Leftovers {
  /** There may be leftovers: the next call of `remove` looks for them. */
  expect: () => void
  /** Removes what there is. Does nothing if it did so before and none are expected. */
  remove: () => Promise<void>
  /** The Meilisearch tasks that delete documents of former states. */
  tasks: () => number[]
  /** Records the states of the live indexes when the last of these tasks has ended. @throws ServiceError `search_unavailable` */
  confirm: (ended: EndedTasks) => Promise<void>
}

export const createLeftovers = ({ client, indexes, states, enqueue }: SyncContext): Leftovers => {
  let areExpected = true
  /** The tasks that delete documents of former states from the live indexes, which `build` describes. */
  let leaving: { build: Build; tasks: Set<number> } | null = null

  return {
    expect() {
      areExpected = true
      leaving = null
    },
    async remove() {
      if (!areExpected) return
      await dropShadowIndexes(enqueue, client, indexes)
      const build = await findBuild(client, indexes)
      if (build !== null && !hasNoStates(subtractStates(build.states ?? ALL_STATES, states))) {
        leaving = { build, tasks: new Set(await deleteOtherStates(enqueue, indexes, states)) }
      }
      areExpected = false
    },
    tasks: () => [...(leaving?.tasks ?? [])],
    async confirm(ended) {
      if (leaving === null) return
      for (const task of leaving.tasks) {
        const refusal = ended.get(task)?.refusal ?? null
        if (refusal !== null) throw new ServiceError('search_unavailable', `former states were not deleted: ${refusal}`)
        if (ended.has(task)) leaving.tasks.delete(task)
      }
      if (leaving.tasks.size > 0) return
      await writeStates(enqueue, indexes, leaving.build, states)
      leaving = null
    },
  }
}
