import type { Sql } from '../../core/postgres/database'
import { waitFor } from '../support/servers'

export interface ReceivedEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: an event is what the test expects it to be
  data: any
}

/** A client of server-sent events, as browsers are (WHATWG HTML, 9.2.6): keeps the events that it receives, and the last id. */
export const readEventStream = (body: ReadableStream<Uint8Array>, lastEventId = '') => {
  const events: ReceivedEvent[] = []
  const reader = body.getReader()
  const state = { lastEventId, blocks: 0 }
  const take = (block: string): void => {
    const fields = new Map(
      block
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]),
    )
    state.blocks++
    state.lastEventId = fields.get('id') ?? state.lastEventId
    const data = fields.get('data')
    if (data !== undefined) {
      events.push({ id: state.lastEventId, event: fields.get('event') ?? 'message', data: JSON.parse(data) })
    }
  }
  /** Resolves to how the stream ended: cleanly, or broken off. */
  const ended = (async (): Promise<'ended' | 'broken'> => {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return 'ended'
        text += decoder.decode(value, { stream: true })
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) take(block)
      }
    } catch {
      return 'broken'
    }
  })()
  return { events, ended, state, cancel: () => reader.cancel() }
}

/** Waits until no earlier event can reach a stream that starts now. Open transactions of other test files' databases hold events back. */
export const waitForEarlierEvents = (sql: Sql): Promise<void> =>
  waitFor(async () => (await sql`select from events where xid >= pg_snapshot_xmin(pg_current_snapshot())`).length === 0)
