import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FilePreview } from '../../../../../ingest/preview/file-preview'
import { api, ask, at, Refusal } from '../../../api/api'
import { useEvents } from '../../../api/events'
import { readKey } from '../../../session/key'
import { useThrottled } from '../use-throttled'

/** Well below the service's maximum, so that little is sent again after an interruption. */
const PART_BYTES = 4 * 1024 * 1024
const MAX_ATTEMPTS = 4
const PAUSE_MS = 1_000
const POLL_MS = 5_000
const REFRESH_EVERY_MS = 300

/** Where a file is. */
export type Place = { file: string } | { address: string }

/** How a file is read. */
export interface Settings {
  map?: Record<string, string>
  complete?: boolean
  crs?: string
  layer?: string
  encoding?: string
  duplicates?: 'reject' | 'number' | 'merge'
}

/** @throws Refusal */
const sendPart = async (id: string, offset: number, part: Blob): Promise<number> => {
  const key = readKey()
  const headers: Record<string, string> = { 'content-type': 'application/octet-stream' }
  if (key !== null) headers['x-service-key'] = key
  const body = await part.arrayBuffer()
  const response = await fetch(`/v1/files/${at(id)}?offset=${offset}`, { method: 'PATCH', headers, body }).catch(() => {
    throw new Refusal(0, 'The service does not respond. Check your network.')
  })
  const answer = (await response.json().catch(() => null)) as { received_bytes?: number; error?: string } | null
  if (response.ok && answer?.received_bytes !== undefined) return answer.received_bytes
  throw new Refusal(response.status, answer?.error ?? `The service responded with ${response.status}.`)
}

/** A lost connection, and a service that restarts. */
const isPassing = (error: unknown): boolean =>
  error instanceof Refusal && (error.status === 0 || error.status === 502 || error.status === 503)

const insist = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request()
    } catch (error) {
      if (!isPassing(error) || attempt === MAX_ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt))
    }
  }
}

/** An upload that can be continued where it stopped. */
export class FileUpload {
  #id: string | null = null

  constructor(readonly file: File) {}

  /**
   * Sends what is missing, and returns the id of the file. Call it again after an error to continue.
   *
   * @throws Refusal
   */
  async send(onSent: (share: number) => void): Promise<string> {
    const { name, size } = this.file
    if (size === 0) throw new Refusal(400, `${name} is empty.`)
    this.#id ??= (await insist(() => ask(api.v1.files.post({ name, size_bytes: size })))).id
    const id = this.#id
    let sent = (await insist(() => ask(api.v1.files({ id: at(id) }).get()))).received_bytes
    while (sent < size) {
      onSent(sent / size)
      sent = await insist(() => sendPart(id, sent, this.file.slice(sent, sent + PART_BYTES)))
    }
    onSent(1)
    return id
  }
}

export const startPreview = async (place: Place, settings: Settings): Promise<string> =>
  (await ask(api.v1.loads.preview.post({ ...place, settings: { ...settings } }))).work_id

export const startLoad = async (source: string, place: Place | null, settings: Settings | null): Promise<string> =>
  (await ask(api.v1.loads.post({ source, ...place, ...(settings === null ? {} : { settings: { ...settings } }) })))
    .work_id

/** The result of loading a file. The route's type has no members here, because they depend on the kind of work. */
export interface LoadResult {
  step?: 'fetching' | 'reading'
  status?: 'applied' | 'held' | 'discarded' | 'failed' | 'unchanged'
  load_id?: string
  rows?: number
  rejected?: number
  inserted?: number
  updated?: number
  unchanged?: number
  retired?: number
  rejects?: FilePreview['rejects']
  warnings?: string[]
  notes?: string[]
  preview?: FilePreview
}

const getWork = async (id: string, signal: AbortSignal) => {
  const work = await ask(api.v1.work({ id: at(id) }).get({ fetch: { signal } }))
  return { ...work, result: work.result as LoadResult }
}
export type FileWork = Awaited<ReturnType<typeof getWork>>

export const isOver = ({ status }: { status: string }): boolean => status === 'done' || status === 'error'

/** Work on a file, until it is over. It follows the event stream. */
export const useFileWork = (id: string) => {
  const queries = useQueryClient()
  const queryKey = ['file-work', id]
  const work = useQuery({
    queryKey,
    queryFn: ({ signal }) => getWork(id, signal),
    // In case an event is missed.
    refetchInterval: ({ state }) => (state.data !== undefined && isOver(state.data) ? false : POLL_MS),
  })
  const refresh = useThrottled(() => void queries.invalidateQueries({ queryKey }), REFRESH_EVERY_MS)
  const isOpen = useEvents(
    ['work'],
    ({ event, data }) => {
      if (event === 'reset' || (data as { id: string }).id === id) refresh()
    },
    work.data === undefined || !isOver(work.data),
  )
  // The work may have ended before the stream was open.
  useEffect(() => {
    if (isOpen) void queries.invalidateQueries({ queryKey: ['file-work', id] })
  }, [isOpen, queries, id])
  return work
}

export const cancelWork = (id: string) => ask(api.v1.work({ id: at(id) }).delete())

/** The last files that were loaded into a source, newest first. */
export const listFileWork = (source: string, signal: AbortSignal) =>
  ask(api.v1.work.get({ query: { kind: 'ingest', source, limit: 10 }, fetch: { signal } })).then(({ work }) =>
    work.map((one) => ({ ...one, result: one.result as LoadResult })),
  )

/** The chosen file, and the work that previews it. */
export interface Chosen {
  place: Place
  name: string
  work: string
  /** The settings of the source that it is loaded into. */
  settings: Settings
  /** False: the source is not one of files, so it has no such settings. */
  hasSettings: boolean
}
