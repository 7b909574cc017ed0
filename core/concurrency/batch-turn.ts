/**
 * Makes a function for one item out of `call`, which takes many. Items of one turn of the event loop share a call, up to `mostItems`.
 * Unlike with `batchCalls`, no item waits for an earlier call. `call` returns its results in the order of its items. If a shared call
 * fails, each item is called again alone, so that one bad item does not fail the others. If `isEveryones(error)`, all items fail
 * instead. A shared call belongs to the trace of its first item.
 */
export const batchTurn = <Item, Result>(
  call: (items: Item[]) => Promise<Result[]>,
  { mostItems, isEveryones }: { mostItems: number; isEveryones: (error: unknown) => boolean },
) => {
  let open: { items: Item[]; results: Promise<Result[]> } | null = null

  const openBatch = () => {
    const items: Item[] = []
    const callLater = async (): Promise<Result[]> => {
      await new Promise(setImmediate)
      if (open === batch) open = null
      return call(items)
    }
    const batch = { items, results: callLater() }
    return batch
  }

  return async (item: Item): Promise<Result> => {
    if (open === null || open.items.length === mostItems) open = openBatch()
    const { items, results } = open
    const index = items.push(item) - 1
    try {
      return (await results)[index] as Result
    } catch (error) {
      if (items.length === 1 || isEveryones(error)) throw error
      const [result] = await call([item])
      return result as Result
    }
  }
}
