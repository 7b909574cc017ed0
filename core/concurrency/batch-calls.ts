import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Makes a function for one item out of `call`, which takes many. Only one call runs at a time. Items that arrive during a call share
 * the next one, up to `mostItems`. With `gatherMs`, the first call waits that long for more items to share it. `call` returns its
 * results in the order of its items. If a shared call fails, each item is called again alone, so that one bad item does not fail the
 * others. If `isEveryones(error)`, all items fail instead. A shared call belongs to the trace of its first item.
 */
export const batchCalls = <Item, Result>(
  call: (items: Item[]) => Promise<Result[]>,
  {
    mostItems,
    gatherMs = 0,
    isEveryones,
  }: { mostItems: number; gatherMs?: number; isEveryones: (error: unknown) => boolean },
) => {
  let waiting: {
    item: Item
    resolve: (result: Result) => void
    reject: (error: unknown) => void
    /** Runs work in the async context of the item's caller. */
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
    if (gatherMs > 0) await Bun.sleep(gatherMs)
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
