import type { ByteStream } from './connection.js'
import { linesOf } from './exports.js'

/** An event of the service. `reset`: events were missed, so request the current state again. */
export interface ServiceEvent {
  /** Send it as `after` to resume behind this event. Empty for `reset`. */
  id: string
  event: 'job' | 'crawl' | 'reindex' | 'tile_build' | 'work' | 'watch' | 'load' | 'source' | 'reset'
  /** What happened, as `/docs` describes it. */
  data: unknown
}

/** A part of the stream. Without data it is a heartbeat, whose id is the position of the stream. */
type Block = ServiceEvent | { id: string; data?: undefined }

/**
 * The blocks of a stream of server-sent events (HTML standard, 9.2.6). The service writes the data of an event in one line.
 *
 * @throws ParcelDataError `network`, when the stream ends within a line
 */
export async function* blocksOf(stream: ByteStream): AsyncGenerator<Block, undefined> {
  let fields: Record<string, string> = {}
  for await (const line of linesOf(stream)) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) fields[name] = value
    if (line !== '') continue
    const { id = '', event, data } = fields
    yield data === undefined ? { id } : { id, event: event as ServiceEvent['event'], data: JSON.parse(data) }
    fields = {}
  }
}
