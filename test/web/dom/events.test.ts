import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { EVENT_HEARTBEAT_MS } from '../../../core/observe/event-heartbeat'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('the stream of events', async () => {
  const { app } = await createTestApp()
  const streams: Request[] = []
  /** The data of the next block. */
  let data = ''
  let cancelled = 0
  /** Sends one block, and then nothing more. */
  const stall = (request: Request): Response => {
    streams.push(request)
    const start = (controller: ReadableStreamDefaultController) => {
      controller.enqueue(new TextEncoder().encode(`:\nid: ${streams.length}\n${data}\n`))
      request.signal.addEventListener('abort', () => controller.error(request.signal.reason))
    }
    return new Response(new ReadableStream({ start, cancel: () => void cancelled++ }))
  }
  /** The next stream is answered when it resolves. */
  let answers = Promise.resolve()
  const { open, find, gone } = useAppInDom((request) =>
    request.url.includes('/v1/events?') ? answers.then(() => stall(request)) : app.handle(request),
  )
  const setTimer = globalThis.setTimeout
  /** The timers that wait for more than two heartbeats, and for less than three. */
  const waiting: (() => void)[] = []
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number, ...rest: []) => {
    if (ms > 2 * EVENT_HEARTBEAT_MS && ms < 3 * EVENT_HEARTBEAT_MS) waiting.push(run)
    return setTimer(run, ms, ...rest)
  }) as typeof setTimeout)
  afterAll(() => timers.mockRestore())

  test('a server that sends nothing for two heartbeats is not live, and the stream resumes where it was', async () => {
    await open('/app/console/jobs', { key: ADMIN_KEY })
    await find('.live.on')
    await waitFor(() => waiting.length === 2)
    expect(streams).toHaveLength(1)
    const again = Promise.withResolvers<void>()
    answers = again.promise
    waiting.at(-1)?.()
    await gone('.live.on')
    again.resolve()
    await waitFor(() => streams.length === 2)
    expect(streams[1]?.headers.get('last-event-id')).toBe('1')
    await find('.live.on')
  })

  test('a stream that cannot be read is closed before the next one opens', async () => {
    data = 'event: job\ndata: {\n'
    const before = streams.length
    waiting.at(-1)?.()
    await waitFor(() => streams.length === before + 1)
    data = ''
    await waitFor(() => streams.length === before + 2)
    expect(cancelled).toBe(1)
  })
})
