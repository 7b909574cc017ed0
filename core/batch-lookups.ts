/**
 * Turns a look-up of many keys into one of a single key: who asks while a query is under way waits for the next one and
 * shares it. An answer is thus never older than its question, and there is at most one query at a time.
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
