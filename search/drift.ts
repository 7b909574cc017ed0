import type { Meilisearch } from 'meilisearch'
import type { Db } from '../drizzle/database'
import { listEntitiesAfter, listParcelsAfter } from '../drizzle/queries/search-documents'
import { addToOutbox, type DocumentKind } from '../drizzle/queries/search-outbox'
import { createEntityDocument, createParcelDocument } from './documents'
import type { IndexNames } from './indexes'

/** Documents that are not what the database says: missing, outdated or left over. */
export type Drift = Record<DocumentKind, string[]>

const PAGE_SIZE = 5_000
const RANGES = 4_096
/** Ids put up for sending in one statement. */
const REPAIR_SIZE = 5_000

interface Entry {
  id: string
  checksum: string
}

/**
 * Compares counts and checksums of 4,096 ranges of ids, and only in ranges that differ the documents one by one: memory stays small
 * whatever the number of rows. A row that changes meanwhile may be named without need, which costs one more send.
 */
export const findDrift = async (db: Db, client: Meilisearch, indexes: IndexNames): Promise<Drift> => ({
  parcel: await compare(
    () => readRows(async (after) => (await listParcelsAfter(db, after, PAGE_SIZE)).map(createParcelDocument)),
    () => readDocuments(client, indexes.parcels),
  ),
  entity: await compare(
    () => readRows(async (after) => (await listEntitiesAfter(db, after, PAGE_SIZE)).map(createEntityDocument)),
    () => readDocuments(client, indexes.entities),
  ),
})

/** Puts documents that differ up for sending. */
export const repairDrift = async (db: Db, drift: Drift): Promise<void> => {
  for (const kind of ['parcel', 'entity'] as const) {
    for (let start = 0; start < drift[kind].length; start += REPAIR_SIZE) {
      await addToOutbox(db, kind, drift[kind].slice(start, start + REPAIR_SIZE))
    }
  }
}

type Entries = AsyncGenerator<Entry[]>

const compare = async (rows: () => Entries, documents: () => Entries): Promise<string[]> => {
  const [wanted, found] = [await summarize(rows()), await summarize(documents())]
  const suspects = new Set<number>()
  for (let range = 0; range < RANGES; range++) {
    if (wanted.counts[range] !== found.counts[range] || wanted.sums[range] !== found.sums[range]) suspects.add(range)
  }
  if (suspects.size === 0) return []

  const differing = new Map<string, string>()
  for await (const page of rows()) {
    for (const { id, checksum } of page) if (suspects.has(rangeOf(id))) differing.set(id, checksum)
  }
  const leftOver: string[] = []
  for await (const page of documents()) {
    for (const { id, checksum } of page) {
      if (!suspects.has(rangeOf(id))) continue
      if (!differing.has(id)) leftOver.push(id)
      else if (differing.get(id) === checksum) differing.delete(id)
    }
  }
  return [...differing.keys(), ...leftOver]
}

/** The last 12 bits of an id: random in a UUIDv7, so that ranges are of one size. */
const rangeOf = (id: string): number => Number.parseInt(id.slice(-3), 16)

const summarize = async (entries: Entries): Promise<{ counts: Uint32Array; sums: Uint32Array }> => {
  const counts = new Uint32Array(RANGES)
  const sums = new Uint32Array(RANGES)
  for await (const page of entries) {
    for (const { id, checksum } of page) {
      const range = rangeOf(id)
      counts[range] = (counts[range] ?? 0) + 1
      // A sum does not ask for an order.
      sums[range] = (sums[range] ?? 0) + Bun.hash.xxHash32(`${id} ${checksum}`)
    }
  }
  return { counts, sums }
}

async function* readRows(listAfter: (after: string | null) => Promise<Entry[]>): Entries {
  for (let after: string | null = null; ; ) {
    const page = await listAfter(after)
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.id ?? null
  }
}

async function* readDocuments(client: Meilisearch, uid: string): Entries {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const { results } = await client
      .index<Entry>(uid)
      .getDocuments({ fields: ['id', 'checksum'], limit: PAGE_SIZE, offset })
    if (results.length === 0) return
    yield results
  }
}
