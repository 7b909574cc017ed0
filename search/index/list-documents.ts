import type { Db } from '../../core/postgres/database'
import { hasAllStates, hasState, type StateSet } from '../../core/state-set'
import {
  listEntitiesAfter,
  listEntitiesToIndex,
  listIdsAfter,
  listParcelsAfter,
  listParcelsToIndex,
} from '../../drizzle/queries/search/search-documents'
import type { DocumentKind } from '../../drizzle/queries/search/search-outbox'
import { createEntityDocument, createParcelDocument, type EntityDocument, type ParcelDocument } from './documents'

export const DOCUMENT_KINDS = ['parcel', 'entity'] as const satisfies DocumentKind[]

/** Documents of the current rows with these ids that are in these states, in no particular order. */
export const listDocuments = async (
  db: Db,
  kind: DocumentKind,
  ids: readonly string[],
  states: StateSet,
): Promise<(ParcelDocument | EntityDocument)[]> => {
  if (ids.length === 0) return []
  return kind === 'parcel'
    ? (await listParcelsToIndex(db, ids)).filter(({ state }) => hasState(states, state)).map(createParcelDocument)
    : (await listEntitiesToIndex(db, ids))
        .filter(({ jurisdiction }) => hasState(states, jurisdiction))
        .map(createEntityDocument)
}

/** A page of documents. `last`: the id after which the next page starts. Null: this page is empty, and there are no more. */
export interface DocumentPage {
  documents: (ParcelDocument | EntityDocument)[]
  last: string | null
}

/** Rows to read for each document of a page. Most rows may be in other states. */
const ROWS_PER_DOCUMENT = 4

/** A page of the documents of all rows in these states, in id order, starting after `after`. */
export const listDocumentsAfter = async (
  db: Db,
  kind: DocumentKind,
  after: string | null,
  limit: number,
  states: StateSet,
): Promise<DocumentPage> => {
  if (!hasAllStates(states)) return listSomeAfter(db, kind, after, limit, states)
  const documents =
    kind === 'parcel'
      ? (await listParcelsAfter(db, after, limit)).map(createParcelDocument)
      : (await listEntitiesAfter(db, after, limit)).map(createEntityDocument)
  return { documents, last: documents.at(-1)?.id ?? null }
}

/** A page can be empty although more documents follow: finding the next one could take minutes. */
const listSomeAfter = async (
  db: Db,
  kind: DocumentKind,
  after: string | null,
  limit: number,
  states: StateSet,
): Promise<DocumentPage> => {
  const rows = await listIdsAfter(db, kind, after, limit * ROWS_PER_DOCUMENT, states)
  const wanted = rows.filter(({ isWanted }) => isWanted).map(({ id }) => id)
  const ids = wanted.slice(0, limit)
  const documents = (await listDocuments(db, kind, ids, states)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { documents, last: (wanted.length > limit ? ids.at(-1) : rows.at(-1)?.id) ?? null }
}
