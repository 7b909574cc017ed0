import { type GuideRequest, headersOf, pathOf } from './request'

export interface Answer {
  status: number
  statusText: string
  elapsedMs: number
  headers: { name: string; value: string; about: string }[]
  /** JSON is indented. Long bodies are cut. */
  text: string
  isCut: boolean
}

/** Headers that are worth knowing, and what they are for. */
const HEADERS: Record<string, string> = {
  'Content-Type': 'the format of the body',
  'X-Request-Id': 'quote it when you report a problem',
  'X-Dataset-Version': 'the response has all changes up to this version',
  ETag: 'send it as If-None-Match to get 304 while nothing has changed',
  Warning: 'the search index is not available',
  'Retry-After': 'try again after this many seconds',
  'Idempotent-Replayed': 'the response to an earlier request with the same Idempotency-Key',
}

const MAX_CHARACTERS = 40_000

/** Sends the request to this service. A typed key takes precedence over the session. */
export const sendRequest = async (request: GuideRequest, key: string | null): Promise<Answer> => {
  const startedAt = performance.now()
  const response = await fetch(pathOf(request), {
    method: request.method,
    headers: {
      ...headersOf(request),
      ...(key === null || request.needs === null ? {} : { 'X-Service-Key': key }),
    },
    cache: 'no-store',
    ...(request.body === undefined ? {} : { body: request.body.text }),
  })
  const body = format(await response.text())
  return {
    status: response.status,
    statusText: response.statusText,
    elapsedMs: Math.round(performance.now() - startedAt),
    headers: Object.entries(HEADERS).flatMap(([name, about]) => {
      const value = response.headers.get(name)
      return value === null ? [] : [{ name, value, about }]
    }),
    text: body.slice(0, MAX_CHARACTERS),
    isCut: body.length > MAX_CHARACTERS,
  }
}

const format = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
