import { useEffect, useRef, useState } from 'react'
import { EVENT_HEARTBEAT_MS } from '../../../../core/observe/event-heartbeat'
import { readKey } from '../session/key'

export type EventType = 'job' | 'crawl' | 'reindex' | 'tile_build' | 'work' | 'watch' | 'load' | 'source'

/** `reset`: events were missed, and the state must be requested again. */
type EventName = EventType | 'reset'

/** A job changed its status. */
export interface JobEvent {
  id: string
  source: string
  source_parcel_id: string
  vendor: string
  status: 'queued' | 'running' | 'done' | 'error'
  error_message: string | null
  attempts: number
  created_at: string
  /** Null until the job has ended. */
  duration_ms: number | null
  /** The time of the change. */
  at: string
}

export interface StreamEvent {
  id: string
  event: EventName
  data: unknown
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000
/** The connection is dead if nothing was received for this long: two heartbeats are missing. */
const LONGEST_SILENCE_MS = 2 * EVENT_HEARTBEAT_MS + 10_000

interface Listener {
  types: readonly EventType[]
  onEvent: (event: StreamEvent) => void
  onOpen: (isOpen: boolean) => void
}

/*
 * All components share one stream, because a browser opens at most six connections to a service, for all of its tabs together. A hidden
 * tab has none: it resumes when it is shown.
 */
const listeners = new Set<Listener>()
let stream: { types: string; stop: AbortController; isOpen: boolean } | null = null
/** The position of the stream; null: from now on. */
let lastId: string | null = null

/** Returns a function that ends it. */
const listen = (listener: Listener): (() => void) => {
  listeners.add(listener)
  if (stream?.isOpen) listener.onOpen(true)
  document.addEventListener('visibilitychange', update)
  // The other components of the page listen in this turn, too.
  queueMicrotask(update)
  return () => {
    listeners.delete(listener)
    queueMicrotask(update)
  }
}

/** Opens the stream that the listeners need now. */
const update = (): void => {
  if (listeners.size === 0) lastId = null
  const isShown = listeners.size > 0 && document.visibilityState !== 'hidden'
  const types = isShown ? [...new Set([...listeners].flatMap((one) => one.types))].sort().join(',') : ''
  if (types === (stream?.types ?? '')) return
  stream?.stop.abort()
  if (stream?.isOpen) for (const { onOpen } of listeners) onOpen(false)
  stream = null
  if (types === '') return
  const opened = { types, stop: new AbortController(), isOpen: false }
  stream = opened
  void follow(types, {
    signal: opened.stop.signal,
    onEvent: (event) => {
      for (const one of listeners) {
        if (event.event === 'reset' || one.types.includes(event.event)) one.onEvent(event)
      }
    },
    onOpen: (isOpen) => {
      opened.isOpen = isOpen
      for (const { onOpen } of listeners) onOpen(isOpen)
    },
  }).finally(() => {
    // It was refused. The next component that listens tries again.
    if (stream === opened) stream = null
  })
}

/**
 * Follows the service's event stream until `signal` aborts. After a break, or if the service is silent, it resumes with Last-Event-ID. An
 * EventSource cannot be used, because it cannot send a key.
 */
const follow = async (
  types: string,
  {
    onEvent,
    onOpen,
    signal,
  }: { onEvent: (event: StreamEvent) => void; onOpen: (isOpen: boolean) => void; signal: AbortSignal },
): Promise<void> => {
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    const key = readKey()
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const expectBlock = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), LONGEST_SILENCE_MS)
    }
    expectBlock()
    try {
      const response: Response = await fetch(`/v1/events?types=${types}`, {
        headers: {
          accept: 'text/event-stream',
          ...(key === null ? {} : { 'x-service-key': key }),
          ...(lastId === null ? {} : { 'last-event-id': lastId }),
        },
        signal: AbortSignal.any([signal, silence.signal]),
      })
      // Without a key or a session, every attempt would be refused. Too many streams (429) can end when another page closes.
      if (response.status >= 400 && response.status < 500 && response.status !== 429) return
      if (!response.ok || response.body === null) throw new Error(`events: ${response.status}`)
      onOpen(true)
      pauseMs = FIRST_PAUSE_MS
      for await (const { id, event, data } of readBlocks(response.body)) {
        expectBlock()
        // Heartbeats have an id too: the position of the stream.
        lastId = id || lastId
        if (data !== undefined) onEvent({ id, event, data: JSON.parse(data) })
      }
    } catch {
      // The network is down, or the service restarts or hangs. The loop tries again.
    } finally {
      clearTimeout(timer)
    }
    if (signal.aborted) return
    onOpen(false)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** An event. Without data it is a heartbeat. */
interface StreamBlock {
  id: string
  event: EventName
  data: string | undefined
}

/** The blocks of a stream of server-sent events (HTML standard, 9.2.6). */
async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamBlock> {
  let buffer = ''
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      buffer += value
      const blocks = buffer.split(/\r?\n\r?\n/)
      buffer = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = new Map<string, string>()
        for (const line of block.split(/\r?\n/)) {
          const colon = line.indexOf(':')
          if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
        }
        const event = (fields.get('event') ?? '') as EventName
        yield { id: fields.get('id') ?? '', event, data: fields.get('data') }
      }
    }
  } finally {
    // A caller that stops early must not keep the connection open. The error of a failed stream was thrown before.
    await reader.cancel().catch(() => {})
  }
}

/** Calls `onEvent` for each event while the component is mounted. Returns whether the stream is open. */
export const useEvents = (types: readonly EventType[], onEvent: (event: StreamEvent) => void, isOn = true): boolean => {
  const [isOpen, setOpen] = useState(false)
  const latest = useRef(onEvent)
  latest.current = onEvent
  const wanted = types.join(',')
  useEffect(() => {
    if (!isOn) return
    const leave = listen({
      types: wanted.split(',') as EventType[],
      onEvent: (event) => latest.current(event),
      onOpen: setOpen,
    })
    return () => {
      leave()
      setOpen(false)
    }
  }, [wanted, isOn])
  return isOpen
}
