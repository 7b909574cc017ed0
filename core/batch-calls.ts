import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Turns a call for many items into one for a single item: who asks while a call is under way waits for the next one and shares
 * it, `mostItems` at a time. Where a shared call fails and the failure may be one item's, each item is tried alone, so that it
 * fails alone. `call` answers for its items in their order. What it does belongs to the trace of its first item.
 */
export const batchCalls = <Item, Result>(
  call: (items: Item[]) => Promise<Result[]>,
  { mostItems, isEveryones }: { mostItems: number; isEveryones: (error: unknown) => boolean },
) => {
  let waiting: {
    item: Item
    resolve: (result: Result) => void
    reject: (error: unknown) => void
    /** Runs work as part of what the item is part of. */
    inside: <Value>(work: () => Value) => Value
  }[] = []
  let running = false

  const callAndAnswer = async (batch: typeof waiting): Promise<void> => {
    try {
      const results = await call(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length > 1 && !isEveryones(error)) for (const one of batch) await callAndAnswer([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  const run = async (): Promise<void> => {
    running = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostItems)
      waiting = waiting.slice(mostItems)
      await batch[0]?.inside(() => callAndAnswer(batch))
    }
    running = false
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject, inside: AsyncLocalStorage.snapshot() })
      if (!running) void run()
    })
}
