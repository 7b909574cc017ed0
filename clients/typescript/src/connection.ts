import { errorOf, ParcelDataError } from './error.js'
import { type NextAfter, Pages } from './pages.js'

export interface ClientOptions {
  /** Address of the service. Default: `http://localhost:3000`; in a page, the origin of the page. */
  baseUrl?: string | undefined
  /** An API key. Without one, only public operations work, and in a page of the service those of the signed-in person. */
  key?: string | undefined
  /** How long the service may take to respond, and then to send the next part. Default: 90 s, longer than a scrape. */
  timeoutMs?: number | undefined
  /** How often a request is retried after a temporary failure. Default: 3. */
  maxRetries?: number | undefined
  /** Used instead of the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

export interface RequestOptions {
  /** Ends the request, its retries and its stream. The call then throws the reason of the signal. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  /** Makes a POST take effect once, also if your program sends it again. Default: a new one for each call. */
  idempotencyKey?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Called with each response before its body is read, for example to read `X-Dataset-Version`. */
  onResponse?: ((response: Response) => void) | undefined
}

/** A body that is not JSON: a list to match, or a part of a file (`application/octet-stream`). */
export interface TextBody {
  contentType:
    | 'text/csv'
    | 'text/tab-separated-values'
    | 'application/x-ndjson'
    | 'application/jsonl'
    | 'application/octet-stream'
  content: string | Blob | Uint8Array<ArrayBuffer>
}

export interface Call {
  method: string
  path: string
  query?: object | undefined
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** `safe`: can be repeated; `key`: can be repeated with an Idempotency-Key. */
  repeat: 'safe' | 'key' | 'never'
}

export type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>

const DEFAULT_TIMEOUT_MS = 90_000
const DEFAULT_MAX_RETRIES = 3
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 8_000
/** If `Retry-After` is longer than this, the call throws, with `retryAfterMs`. */
const MAX_RETRY_AFTER_MS = 60_000

/** Sends requests: key, query, timeouts, retries and errors. */
export class Connection {
  readonly baseUrl: string
  readonly #options: ClientOptions

  constructor(options: ClientOptions = {}) {
    this.baseUrl = readBaseUrl(options.baseUrl ?? pageOrigin() ?? 'http://localhost:3000')
    this.#options = { ...options, key: readKey(options.key) }
  }

  /** The JSON of a response. */
  protected json<Result>(call: Call, options?: RequestOptions): Promise<Result> {
    return this.send(call, options, async (response, watch) => {
      try {
        return (await new Response(watchedBody(response, watch, this.baseUrl)).json()) as Result
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
        throw new ParcelDataError('incomplete', `the response is not JSON (${call.method} ${call.path})`, {
          status: response.status,
          cause: error,
        })
      }
    })
  }

  /** The text of a response. */
  protected text(call: Call, options?: RequestOptions): Promise<string> {
    return this.send(call, options, (response, watch) =>
      new Response(watchedBody(response, watch, this.baseUrl)).text(),
    )
  }

  /** The bytes of a response. */
  protected stream(call: Call, options?: RequestOptions): Promise<ByteStream> {
    return this.open(call, options).then(({ body }) => body)
  }

  /** A list in pages, whose rows are in the field `rows`. */
  protected list<Row, Page>(rows: string, call: Call, options?: RequestOptions): Pages<Row, Page> {
    // Only the feed of changes can wait for more.
    const isEndless = Number((call.query as { wait?: number } | undefined)?.wait ?? 0) > 0
    return new Pages<Row, Page>(async (after) => {
      const query = after === null ? call.query : { ...call.query, since: undefined, after }
      const page = await this.json<Page>({ ...call, query }, options)
      const { next, watermark } = page as { next?: NextAfter; watermark?: number }
      const isLast = watermark !== undefined && Number(next) >= watermark && !isEndless
      return { page, rows: (page as Record<string, readonly Row[]>)[rows] ?? [], next: isLast ? null : (next ?? null) }
    })
  }

  /** Sends a request, and retries after temporary failures, until `read` has read a successful response. */
  protected async send<Result>(
    call: Call,
    options: RequestOptions = {},
    read: (response: Response, watch: Watch) => Promise<Result>,
  ): Promise<Result> {
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_MAX_RETRIES
    const init = this.#initOf(call, options)
    const url = `${this.baseUrl}${call.path}${toQuery(call.query)}`
    for (let retries = 0; ; retries++) {
      const watch = watchOver(options.signal, this.timeoutMs(call, options))
      try {
        const response = await (this.#options.fetch ?? fetch)(url, { ...init, signal: watch.signal })
        options.onResponse?.(response)
        if (!response.ok) {
          const body = new Response(watchedBody(response, watch, this.baseUrl))
          throw errorOf(response, call, await body.text().catch(() => ''))
        }
        return await read(response, watch)
      } catch (error) {
        const failure = watch.explain(error, this.baseUrl)
        if (retries >= maxRetries || !isWorthRepeating(failure, call, retries)) throw failure
        await pause(pauseBefore(retries, failure), options.signal)
      } finally {
        watch.release()
      }
    }
  }

  /** A response whose bytes are read later. Its timeout then applies to each part. */
  protected open(call: Call, options: RequestOptions = {}): Promise<{ response: Response; body: ByteStream }> {
    return this.send(call, options, async (response, watch) => {
      watch.keep()
      return { response, body: watchedBody(response, watch, this.baseUrl) }
    })
  }

  protected timeoutMs(call: Call, options: RequestOptions): number {
    const waitS = Number((call.query as { wait?: number } | undefined)?.wait ?? 0)
    return (options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + waitS * 1_000
  }

  #initOf({ method, body, repeat, headers }: Call, options: RequestOptions): RequestInit {
    const isText = isTextBody(body)
    const content = isText ? body.content : body === undefined ? null : JSON.stringify(body)
    return {
      method,
      // The API does not redirect. Another server must not get the key.
      redirect: 'manual',
      ...(content === null ? {} : { body: content }),
      headers: {
        ...(this.#options.key === undefined ? {} : { 'x-service-key': this.#options.key }),
        ...(content === null ? {} : { 'content-type': isText ? body.contentType : 'application/json' }),
        ...(repeat === 'key' ? { 'idempotency-key': options.idempotencyKey ?? randomKey() } : {}),
        ...headers,
        ...options.headers,
      },
    }
  }
}

/** A part of a path. `id` may contain any character: it is encoded. */
export const segment = (name: string, value: string): string => {
  // URLs cannot contain these as parts of a path.
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
    throw new ParcelDataError('invalid_request', `${name} must be text that is not empty, "." or ".."`, { field: name })
  if (/\p{Surrogate}/u.test(value))
    throw new ParcelDataError('invalid_request', `${name} must not have half of a surrogate pair`, { field: name })
  return encodeURIComponent(value)
}

/** The address without a slash or `/v1` at its end. The error does not repeat it: it could be the key. */
const readBaseUrl = (text: string): string => {
  if (!/^https?:\/\/[^/]/i.test(text))
    throw new ParcelDataError('invalid_request', 'baseUrl must begin with http:// or https://', { field: 'baseUrl' })
  return text.replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** A key that was read from a file ends with a line break. */
const readKey = (text: string | undefined): string | undefined => {
  const key = text?.trim()
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new ParcelDataError('invalid_request', 'key must be visible ASCII characters', { field: 'key' })
  return key
}

const pageOrigin = (): string | undefined => {
  const origin = (globalThis as { location?: { origin?: string } }).location?.origin
  return origin?.startsWith('http') ? origin : undefined
}

const isTextBody = (body: unknown): body is TextBody =>
  typeof body === 'object' && body !== null && 'contentType' in body && 'content' in body

const toQuery = (query: object | undefined): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue
    parameters.set(name, toText(value))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

const toText = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(toText).join(',')
  const text = String(value)
  // The API takes no numbers with an exponent.
  const hasExponent = typeof value === 'number' && text.includes('e')
  return hasExponent ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 }) : text
}

/** 128 random bits. `crypto.randomUUID` is missing in pages without HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * A request with unknown effect is repeated only if that is harmless. 429 and 503 are repeated for the same requests, because a proxy may
 * answer 503 after the service has done its work.
 */
const isWorthRepeating = (failure: unknown, { repeat, method }: Call, retries: number): boolean => {
  if (!(failure instanceof ParcelDataError) || (failure.retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) return false
  const { code, status, body } = failure
  if (repeat === 'never') return code === 'too_many_requests'
  if (code === 'network' || code === 'timeout' || code === 'too_many_requests') return true
  // The portal has failed and would probably fail again, so POSTs are not repeated after 502.
  if (status === 502 || status === 504) return method === 'GET'
  // Scrape-now has queued a job instead.
  if (status === 503) return !(typeof body === 'object' && body !== null && 'enqueued' in body)
  // The first request, whose response was lost, is still running.
  return status === 409 && repeat === 'key' && retries > 0
}

/** At least as long as the service says; otherwise a random time up to a limit that doubles. */
const pauseBefore = (retries: number, failure: unknown): number => {
  const asked = failure instanceof ParcelDataError ? failure.retryAfterMs : null
  const random = Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retries + 1))
  return asked === null ? random : asked + Math.min(random, FIRST_PAUSE_MS)
}

/** @throws the reason of the signal */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end, { once: true })
  })

/** Watches over one request: it follows the caller's signal, and ends the request when nothing arrives for too long. */
export interface Watch {
  signal: AbortSignal
  /** Restarts or stops the timer. */
  start: () => void
  stop: () => void
  /** Keeps watching after `send` has returned, until `end`. */
  keep: () => void
  release: () => void
  end: () => void
  /** Ends the request. */
  abort: () => void
  /** The error of this client for an error of `fetch` or of a body. */
  explain: (error: unknown, host: string) => unknown
}

/** `AbortSignal.any` would do, but it leaks memory in Node 20 and is missing in older browsers. */
const watchOver = (outer: AbortSignal | undefined, timeoutMs: number): Watch => {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isTimedOut = false
  let isKept = false
  const follow = () => controller.abort(outer?.reason)
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(() => {
      isTimedOut = true
      controller.abort()
    }, timeoutMs)
  }
  const end = () => {
    stop()
    outer?.removeEventListener('abort', follow)
  }
  if (outer?.aborted === true) follow()
  else outer?.addEventListener('abort', follow, { once: true })
  start()
  return {
    ...{ signal: controller.signal, start, stop, end },
    keep: () => {
      isKept = true
    },
    release: () => {
      if (!isKept) end()
    },
    abort: () => controller.abort(),
    explain: (error, host) => {
      if (outer?.aborted === true) return outer.reason
      if (isTimedOut)
        return new ParcelDataError('timeout', `${host} sent nothing for ${timeoutMs} ms`, { cause: error })
      if (error instanceof ParcelDataError) return error
      return new ParcelDataError('network', `${host}: ${describe(error)}${hintFor(host)}`, { cause: error })
    },
  }
}

/** Node says only "fetch failed", and gives the reason as its cause. */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}

/** Browsers do not tell a page why its request to another origin failed. */
const hintFor = (host: string): string => {
  const page = pageOrigin()
  return page === undefined || host === page || host.startsWith(`${page}/`)
    ? ''
    : `. It cannot be reached, or its CORS_ORIGINS does not allow ${page}`
}

/** The bytes of a response. The timeout applies to each part of them. */
const watchedBody = (response: Response, watch: Watch, host: string): ByteStream => {
  watch.stop()
  const reader = response.body?.getReader()
  return new ReadableStream({
    start(controller) {
      // In Node, a body that cannot be decompressed sometimes neither ends nor fails, not even when its request is aborted.
      watch.signal.addEventListener('abort', () => controller.error(watch.explain(watch.signal.reason, host)))
    },
    async pull(controller) {
      watch.start()
      try {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        watch.stop()
        if (!done) return controller.enqueue(value)
        watch.end()
        controller.close()
      } catch (error) {
        watch.end()
        controller.error(watch.explain(error, host))
      }
    },
    async cancel(reason) {
      watch.end()
      await reader?.cancel(reason).catch(() => {})
      watch.abort()
    },
  })
}
