import { useEffect, useState } from 'react'
import type { Query, Result } from './operation-types.js'
import type { ParcelData } from './parcel-data.js'

type SearchAnswer = Result<'search'>

export type TypeaheadOptions = Omit<Query<'search'>, 'q'> & {
  /** Pause after a keystroke before the search is sent. Default: 150 ms. */
  delayMs?: number
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
  /** Why the latest search failed; null if it did not. */
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
const MIN_CHARACTERS = 2

/**
 * Searches while a person types. Each keystroke aborts the search before it, so an old answer never replaces a newer one.
 *
 * Create `client` once, outside of the component. `query` holds the other parameters of search, for example `{ limit: 8 }`.
 */
export const useTypeahead = (
  client: Pick<ParcelData, 'search'>,
  text: string,
  { delayMs = DELAY_MS, ...query }: TypeaheadOptions = {},
): Typeahead => {
  const q = text.trim()
  const isLongEnough = [...q].length >= MIN_CHARACTERS
  // Callers write `query` in place, so it is a new object each time.
  const request = isLongEnough ? JSON.stringify({ ...query, q }) : ''
  const [state, setState] = useState(NOTHING)

  useEffect(() => {
    if (request === '') return setState(NOTHING)
    const controller = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const parsed = JSON.parse(request) as Query<'search'> & { q: string }
        const answer = await client.search(parsed, { signal: controller.signal })
        if (!controller.signal.aborted) setState({ answer, answeredText: parsed.q, error: null, request })
      } catch (error) {
        if (!controller.signal.aborted) setState((latest) => ({ ...latest, error, request }))
      }
    }, delayMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [client, request, delayMs])

  const { answer, answeredText, error } = isLongEnough ? state : NOTHING
  return {
    results: answer?.results ?? [],
    answer,
    answeredText,
    isSearching: isLongEnough && state.request !== request,
    error,
  }
}
