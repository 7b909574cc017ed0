import type { Db } from '../../core/postgres/database'
import {
  listEntitiesAfter,
  listEntitiesToIndex,
  listParcelsAfter,
  listParcelsToIndex,
} from '../../drizzle/queries/search/search-documents'
import type { DocumentKind } from '../../drizzle/queries/search/search-outbox'
import { createEntityDocument, createParcelDocument, type EntityDocument, type ParcelDocument } from './documents'

export const DOCUMENT_KINDS = ['parcel', 'entity'] as const satisfies DocumentKind[]

/** Documents of the current rows with these ids, in no particular order. */
export const listDocuments = async (
  db: Db,
  kind: DocumentKind,
  ids: readonly string[],
): Promise<(ParcelDocument | EntityDocument)[]> => {
  if (ids.length === 0) return []
  return kind === 'parcel'
    ? (await listParcelsToIndex(db, ids)).map(createParcelDocument)
    : (await listEntitiesToIndex(db, ids)).map(createEntityDocument)
}

/** A page of the documents of all rows in id order, starting after `after`. */
export const listDocumentsAfter = async (
  db: Db,
  kind: DocumentKind,
  after: string | null,
  limit: number,
): Promise<(ParcelDocument | EntityDocument)[]> =>
  kind === 'parcel'
    ? (await listParcelsAfter(db, after, limit)).map(createParcelDocument)
    : (await listEntitiesAfter(db, after, limit)).map(createEntityDocument)
