import type { Static, TSchema } from '@sinclair/typebox'
import type { RawDocument } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { expectPage } from '../../reading/page/expect-page'
import { parseJson } from '../../reading/parse-json'
import { readJson } from '../../reading/read-json'
import { ScrapeError, type ScrapeErrorCode } from '../../scrape-error'

/** An error is an object with its own code, usually with status 200. */
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
 * The response document with this name.
 *
 * @throws ScrapeError as `readJson`; `blocked` for a layer that requires a token, `bad_config` for a query that it cannot answer
 */
export const readAnswer = <Schema extends TSchema>(
  documents: readonly RawDocument[],
  name: string,
  schema: Schema,
): Static<Schema> => {
  const error = errorIn(documentNamed(documents, name))
  if (error !== null) {
    const says = [error.message, ...[error.details ?? []].flat()].join(' ').slice(0, 300)
    throw new ScrapeError(
      CODES[error.code] ?? 'network',
      `the layer's ${name} response is error ${error.code}: ${says}`,
    )
  }
  return readJson(documents, name, schema)
}

/**
 * Returns the document if it may be a valid response.
 *
 * @throws ScrapeError as `expectPage`; `bad_config` when the layer does not exist, which says nothing about the parcel
 */
export const expectAnswer = (document: RawDocument): RawDocument => {
  if (document.status !== 400 && document.status !== 404) return expectPage(document)
  throw new ScrapeError(
    'bad_config',
    `the layer does not exist, or does not support ${document.name} (${document.status})`,
  )
}

interface EsriError {
  code: number
  message?: string
  details?: string | string[] | null
}

const errorIn = ({ body, name }: RawDocument): EsriError | null => {
  if (!/^\s*\{[^[{]*"error"\s*:\s*\{/.test(body)) return null
  try {
    return (parseJson(body, name) as { error: EsriError }).error
  } catch {
    return null
  }
}
