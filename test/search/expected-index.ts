import type { Sql } from '../../core/postgres/database'
import { listEntitiesAfter, listParcelsAfter } from '../../drizzle/queries/search/search-documents'
import { createEntityDocument, createParcelDocument } from '../../search/index/documents'
import { connectMeilisearch, indexNames, type MeilisearchAddress } from '../../search/index/indexes'

type Document = { id: string }
const byId = (a: Document, b: Document) => (a.id < b.id ? -1 : 1)

/** Pairs of each document in the indexes and the document expected from the database, in id order. */
export const readBothSides = async (sql: Sql, meili: MeilisearchAddress, indexPrefix = '') => {
  const indexes = indexNames(indexPrefix)
  const client = connectMeilisearch(meili, 30_000)
  const listIndexed = async (uid: string): Promise<Document[]> => {
    const documents: Document[] = []
    for (;;) {
      const { results } = await client.index<Document>(uid).getDocuments({ limit: 2_000, offset: documents.length })
      if (results.length === 0) return documents.toSorted(byId)
      documents.push(...results)
    }
  }
  const rowLimit = 1_000_000
  const parcelRows = await listParcelsAfter(sql, null, rowLimit)
  const entityRows = await listEntitiesAfter(sql, null, rowLimit)
  return {
    wanted: {
      parcels: parcelRows.map(createParcelDocument).toSorted(byId),
      entities: entityRows.map(createEntityDocument).toSorted(byId),
    },
    indexed: { parcels: await listIndexed(indexes.parcels), entities: await listIndexed(indexes.entities) },
  }
}
