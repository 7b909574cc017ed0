import { MeilisearchApiError } from 'meilisearch'
import type { Enqueue } from './context'

/** What a request carries at most, in UTF-16 units: well below the 100 MB that Meilisearch takes by default. */
const REQUEST_LENGTH = 16_000_000

/** Sends documents in requests of bounded size, and names their tasks. */
export const addDocuments = async (enqueue: Enqueue, uid: string, documents: readonly object[]): Promise<number[]> => {
  const tasks: number[] = []
  let lines: string[] = []
  let size = 0
  const send = async () => {
    if (lines.length === 0) return
    const text = lines.join('\n')
    tasks.push(await enqueue((client) => client.index(uid).addDocumentsFromString(text, 'application/x-ndjson')))
    lines = []
    size = 0
  }
  for (const document of documents) {
    const line = JSON.stringify(document)
    if (size + line.length > REQUEST_LENGTH) await send()
    lines.push(line)
    size += line.length
  }
  await send()
  return tasks
}

/** Meilisearch takes requests, and will not have one of this size. */
export const isTooLarge = (error: unknown): error is MeilisearchApiError =>
  error instanceof MeilisearchApiError && error.response.status === 413
