import { useEffect, useState } from 'react'
import { isTemporary } from './error.js'
import type { Query, Result } from './operation-types.js'
import type { ParcelData } from './parcel-data.js'

type SearchAnswer = Result<'search'>

export type TypeaheadOptions = Omit<Query<'search'>, 'q'> & {
  /** Pause after a keystroke before the search is sent. Default: 150 ms. */
  delayMs?: number
  /** Pause before a search that failed for a temporary reason is sent again. Default: 5 s, or longer if the service asks for it. */
  retryMs?: number
  /** How long the service may take to respond. Default: 20 s. A busy service responds within 15 s. */
  timeoutMs?: number
}

export interface Typeahead {
  /** Hits of the latest answer. They stay while the next search runs, so that the list does not flicker. */
  results: SearchAnswer['results']
  /** The latest answer with `corrected` and `total`; null before the first one, and while the text is too short. */
  answer: SearchAnswer | null
  /** The text that `answer` is for. */
  answeredText: string | null
  /** Whether a search for the current text is in progress, or will be after the pause. */
  isSearching: boolean
  /** Why the latest search failed; null if it did not. After a temporary failure, the search is sent again until it succeeds. */
  error: unknown
}

interface State {
  answer: SearchAnswer | null
  answeredText: string | null
  error: unknown
  /** The request that this state is the outcome of. */
  request: string
}

const NOTHING: State = { answer: null, answeredText: null, error: null, request: '' }
const DELAY_MS = 150
const RETRY_MS = 5_000
const TIMEOUT_MS = 20_000
const MIN_CHARACTERS = 2

/**
 * Searches while a person types. Each keystroke aborts the search before it, so an old answer never replaces a newer one.
 *
 * Create `client` once, outside of the component. `query` holds the other parameters of search, for example `{ limit: 8 }`.
 */
export const useTypeahead = (
  client: Pick<ParcelData, 'search'>,
  text: string,
  { delayMs = DELAY_MS, retryMs = RETRY_MS, timeoutMs = TIMEOUT_MS, ...query }: TypeaheadOptions = {},
): Typeahead => {
  const q = text.trim()
  const isLongEnough = [...q].length >= MIN_CHARACTERS
  // Callers write `query` in place, so it is a new object each time.
  const request = isLongEnough ? JSON.stringify({ ...query, q }) : ''
  const [state, setState] = useState(NOTHING)

  useEffect(() => {
    if (request === '') return setState(NOTHING)
    const controller = new AbortController()
    const { signal } = controller
    const search = async () => {
      try {
        const parsed = JSON.parse(request) as Query<'search'> & { q: string }
        const answer = await client.search(parsed, { signal, timeoutMs })
        if (!signal.aborted) setState({ answer, answeredText: parsed.q, error: null, request })
      } catch (error) {
        if (signal.aborted) return
        setState((latest) => ({ ...latest, error, request }))
        if (isTemporary(error)) timer = setTimeout(search, Math.max(retryMs, error.retryAfterMs ?? 0))
      }
    }
    let timer = setTimeout(search, delayMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [client, request, delayMs, retryMs, timeoutMs])

  const { answer, answeredText, error } = isLongEnough ? state : NOTHING
  return {
    results: answer?.results ?? [],
    answer,
    answeredText,
    isSearching: isLongEnough && state.request !== request,
    error,
  }
}
