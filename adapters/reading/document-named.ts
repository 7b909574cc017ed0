import type { RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'

/** @throws ScrapeError `page_changed` when no fetched document has this name */
export const documentNamed = (documents: readonly RawDocument[], name: string): RawDocument => {
  const document = documents.find((candidate) => candidate.name === name)
  if (document === undefined) throw new ScrapeError('page_changed', `no "${name}" among the fetched documents`)
  return document
}
