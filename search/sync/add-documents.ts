import { MeilisearchApiError } from 'meilisearch'
import type { Enqueue } from './context'

/** Longest request body, in UTF-16 units: well below Meilisearch's default limit of 100 MB. */
const REQUEST_LENGTH = 16_000_000

/** Sends documents in requests of bounded size. Returns the Meilisearch task ids. */
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

/** Whether Meilisearch refused the request because of its size. */
export const isTooLarge = (error: unknown): error is MeilisearchApiError =>
  error instanceof MeilisearchApiError && error.response.status === 413
