/**
 * Makes a look-up of one key out of `load`, which takes many. Only one query runs at a time. Keys that arrive during a query share
 * the next one, so a result is never older than its request.
 */
export const batchLookups = <Row>(load: (keys: string[]) => Promise<Map<string, Row>>) => {
  let waiting: { keys: Set<string>; result: Promise<Map<string, Row>> } | null = null
  let running: Promise<unknown> = Promise.resolve()

  const openBatch = () => {
    const keys = new Set<string>()
    const result = running.then(() => {
      waiting = null
      return load([...keys])
    })
    running = result.catch(() => {})
    return { keys, result }
  }

  return async (key: string): Promise<Row | undefined> => {
    waiting ??= openBatch()
    waiting.keys.add(key)
    return (await waiting.result).get(key)
  }
}
