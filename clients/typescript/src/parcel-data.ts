import { type ByteStream, pause, type RequestOptions } from './connection.js'
import { isTemporary, ParcelDataError } from './error.js'
import { blocksOf, type ServiceEvent } from './events.js'
import { linesOf, resumed } from './exports.js'
import type { Export, Match, ParcelRow } from './generated/openapi.js'
import { Operations } from './generated/operations.js'
import type { Body, Query } from './operation-types.js'

/** What to export. */
export type ExportRequest = Omit<Body<'createExport'>, 'delivery'>

export interface WaitOptions extends RequestOptions {
  /** Called after each request for the status. `total` is null until it is known. */
  onProgress?: ((progress: { done: number; total: number | null }) => void) | undefined
  /** Pause between two such requests. Default: 1 s. */
  pollMs?: number | undefined
}

const POLL_MS = 1_000
/** The service asks clients of its event stream to wait this long (`retry`). */
const RECONNECT_MS = 2_000
/** The service sends a heartbeat every 15 s. After two that did not come, the connection is dead. */
const SILENCE_MS = 40_000
/** Pauses between attempts of a download that keeps breaking. */
const RESUME_PAUSE_MS = 500

/**
 * Client of the Parcel Data Service. Each operation of the API is a method with its name in `/docs`. Parts of the path come first, then the
 * body, then the query, then options.
 */
export class ParcelData extends Operations {
  /** Queues an export to a file. `waitForExport` waits for it, `exportFile` does all of it. */
  createExport(body: ExportRequest, options?: RequestOptions): Promise<Export> {
    return this.json(
      { method: 'POST', path: '/v1/exports', body: { ...body, delivery: 'file' }, repeat: 'key' },
      options,
    )
  }

  /**
   * Waits until an export has ended.
   *
   * @throws ParcelDataError `work_failed`, with the export as `body`
   */
  async waitForExport(id: string, options: WaitOptions = {}): Promise<Export> {
    const done = await poll(
      () => this.getExport(id, options),
      ({ rows, total }) => options.onProgress?.({ done: rows, total }),
      options,
    )
    return settled(done, 'export')
  }

  /** The file of an export that is done. A download that breaks continues where it stopped. */
  async downloadExport(id: string, options: RequestOptions = {}): Promise<ByteStream> {
    const done = settled(await this.getExport(id, options), 'export')
    return resumed({
      sizeBytes: done.size_bytes ?? 0,
      maxRetries: options.maxRetries ?? 3,
      wait: (retries) => pause(RESUME_PAUSE_MS * 2 ** retries, options.signal),
      open: async (start, etag) => {
        // An address is valid for a day, and a slow download may take longer.
        const { download_url } = start === 0 ? done : await this.getExport(id, options)
        if (download_url === null)
          throw new ParcelDataError('not_found', 'the file of the export has been removed', { body: done })
        const { search } = new URL(download_url)
        const range: Record<string, string> =
          start === 0 ? {} : { range: `bytes=${start}-`, ...(etag === null ? {} : { 'if-range': etag }) }
        const { response, body } = await this.open(
          { method: 'GET', path: `/v1/exports/${done.id}/file${search}`, headers: range, repeat: 'safe' },
          options,
        )
        return { status: response.status, etag: response.headers.get('etag'), body }
      },
    })
  }

  /** Exports to a file, waits for it, and returns its bytes. */
  async exportFile(body: ExportRequest, options: WaitOptions = {}): Promise<ByteStream> {
    const { id } = await this.createExport(body, options)
    await this.waitForExport(id, options)
    return this.downloadExport(id, options)
  }

  /**
   * Up to 100,000 parcels as bytes, right away. One stream at a time. If the connection breaks, reading throws `network`, and what was read
   * is not complete.
   */
  streamExport(body: ExportRequest, options?: RequestOptions): Promise<ByteStream> {
    // It changes nothing, so it can be repeated until its first byte.
    return this.stream(
      { method: 'POST', path: '/v1/exports', body: { ...body, delivery: 'stream' }, repeat: 'safe' },
      options,
    )
  }

  /** Up to 100,000 parcels, one by one, faster than `listParcels` and in one request. */
  async *streamParcels(
    body: Omit<ExportRequest, 'format' | 'gzip'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<ParcelRow, undefined> {
    const stream = await this.streamExport({ ...body, format: 'ndjson' }, options)
    for await (const line of linesOf(stream)) yield JSON.parse(line) as ParcelRow
  }

  /**
   * Follows the events of the service until you stop. A stream that breaks or is silent is opened again, and continues behind the last event.
   * With `reset`, events were missed: request the current state again.
   *
   * `GET /v1/events`
   *
   * @throws ParcelDataError when the service refuses the request, for example `unauthorized` after the key was revoked
   */
  async *streamEvents(
    query: Query<'streamEvents'> = {},
    options: RequestOptions = {},
  ): AsyncGenerator<ServiceEvent, undefined> {
    let { after } = query
    for (;;) {
      let pauseMs = RECONNECT_MS
      try {
        const stream = await this.stream(
          { method: 'GET', path: '/v1/events', query: { ...query, after }, repeat: 'safe' },
          { timeoutMs: SILENCE_MS, ...options },
        )
        for await (const block of blocksOf(stream)) {
          if (block.id !== '') after = block.id
          if (block.data !== undefined) yield block
        }
      } catch (error) {
        if (!isTemporary(error)) throw error
        pauseMs = Math.max(RECONNECT_MS, error.retryAfterMs ?? 0)
      }
      await pause(pauseMs, options.signal)
    }
  }

  /**
   * Waits until a match has ended.
   *
   * @throws ParcelDataError `work_failed`, with the match as `body`
   */
  async waitForMatch(id: string, options: WaitOptions = {}): Promise<Match> {
    const done = await poll(
      () => this.getMatch(id, options),
      ({ done, total }) => options.onProgress?.({ done, total }),
      options,
    )
    return settled(done, 'match')
  }
}

const poll = async <Row extends { status: string }>(
  read: () => Promise<Row>,
  report: (row: Row) => void,
  { pollMs = POLL_MS, signal }: WaitOptions,
): Promise<Row> => {
  for (;;) {
    const row = await read()
    report(row)
    if (row.status === 'done' || row.status === 'error') return row
    await pause(pollMs, signal)
  }
}

const settled = <Row extends { status: string; error_message: string | null }>(row: Row, what: string): Row => {
  if (row.status === 'done') return row
  const reason = row.status === 'error' ? (row.error_message ?? 'no reason given') : `it is ${row.status}`
  throw new ParcelDataError('work_failed', `the ${what} is not done: ${reason}`, { reason, body: row })
}
