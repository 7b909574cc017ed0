import type { Static, TSchema } from '@sinclair/typebox'
import { findProblem } from '../../core/schema/schema-problem'
import type { RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { documentNamed } from './document-named'
import { expectPage } from './page/expect-page'
import { parseJson } from './parse-json'

/**
 * The JSON document with this name. `schema` covers the fields that the adapter needs; other fields are allowed.
 *
 * @throws ScrapeError as `readPage`; `page_changed` naming the field that is missing or has another type, `too_large` as `parseJson`
 */
export const readJson = <Schema extends TSchema>(
  documents: readonly RawDocument[],
  name: string,
  schema: Schema,
): Static<Schema> => {
  const value = parseJson(expectPage(documentNamed(documents, name)).body, name)
  const problem = findProblem(schema, value, '')
  if (problem !== null) throw new ScrapeError('page_changed', `${problem.trim()}, in the ${name} response`)
  return value
}
