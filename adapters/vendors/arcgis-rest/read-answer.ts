import type { Static, TSchema } from '@sinclair/typebox'
import type { RawDocument } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { expectPage } from '../../reading/expect-page'
import { parseJson } from '../../reading/parse-json'
import { readJson } from '../../reading/read-json'
import { ScrapeError, type ScrapeErrorCode } from '../../scrape-error'

/** Errors come as an object with a code of its own, mostly with status 200. */
const CODES: Readonly<Record<number, ScrapeErrorCode>> = {
  400: 'bad_config',
  401: 'blocked',
  403: 'blocked',
  404: 'bad_config',
  429: 'throttled',
  498: 'blocked',
  499: 'blocked',
}

/**
 * The answer of this name.
 *
 * @throws ScrapeError as `readJson`; `blocked` for a layer that wants a token, `bad_config` for a query that it cannot answer
 */
export const readAnswer = <Schema extends TSchema>(
  documents: readonly RawDocument[],
  name: string,
  schema: Schema,
): Static<Schema> => {
  const error = errorIn(documentNamed(documents, name))
  if (error !== null) {
    const says = [error.message, ...(error.details ?? [])].join(' ').slice(0, 300)
    throw new ScrapeError(CODES[error.code] ?? 'network', `the layer's ${name} answer is error ${error.code}: ${says}`)
  }
  return readJson(documents, name, schema)
}

/**
 * The document, if it may be an answer.
 *
 * @throws ScrapeError as `expectPage`; `bad_config` for a layer that is not there, which says nothing of a parcel
 */
export const expectAnswer = (document: RawDocument): RawDocument => {
  if (document.status !== 400 && document.status !== 404) return expectPage(document)
  throw new ScrapeError(
    'bad_config',
    `there is no such layer, or it cannot be asked for ${document.name} (${document.status})`,
  )
}

interface EsriError {
  code: number
  message?: string
  details?: string[]
}

const errorIn = ({ body, name }: RawDocument): EsriError | null => {
  if (!/^\s*\{\s*"error"/.test(body)) return null
  try {
    return (parseJson(body, name) as { error: EsriError }).error
  } catch {
    return null
  }
}
