import { isConnectionLost } from '../postgres/transient-errors'
import { ServiceError } from '../service-error'

/**
 * Runs a step for each item, one after another. A step that fails does not stop the others.
 *
 * @throws the first error, after all steps; immediately if a server is unavailable or the lead is lost, because the others would fail, too
 */
export const runEach = async <Item>(
  items: Iterable<Item>,
  step: (item: Item) => Promise<unknown> | unknown,
): Promise<void> => {
  const problems: unknown[] = []
  for (const item of items) {
    try {
      await step(item)
    } catch (error) {
      if (stopsAll(error)) throw error
      problems.push(error)
    }
  }
  if (problems.length > 0) throw problems[0]
}

const stopsAll = (error: unknown): boolean =>
  isConnectionLost(error) ||
  (error instanceof ServiceError && (error.code === 'lead_lost' || error.code === 'server_unavailable'))
