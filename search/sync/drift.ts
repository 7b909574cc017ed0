import type { Meilisearch } from 'meilisearch'
import type { Db } from '../../core/postgres/database'
import type { StateSet } from '../../core/state-set'
import { listExistingIds } from '../../drizzle/queries/search/search-documents'
import { type DocumentKind, listPending, type Queue } from '../../drizzle/queries/search/search-outbox'
import type { IndexNames } from '../index/indexes'
import { DOCUMENT_KINDS, type DocumentPage, listDocuments, listDocumentsAfter } from '../index/list-documents'

/** A document that differs from the database. */
export interface Difference {
  kind: DocumentKind
  id: string
  how: 'missing' | 'outdated' | 'left over'
}

/** Rows compared at a time. Their documents block the event loop for about 12 ms. */
const PAGE_SIZE = 500
/** Leftover documents: how many ids are looked up at a time, and how many one check reports. The next check reports the rest. */
const LEFT_OVER_PAGE_SIZE = 1_000
const MAX_LEFT_OVER = 50_000

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Entry {
  id: string
  checksum: string
}

/** The database, and an instance of Meilisearch that should have the documents of some states. */
interface Compared {
  db: Db
  client: Meilisearch
  indexes: IndexNames
  states: StateSet
  queue: Queue
}

interface Side extends Omit<Compared, 'indexes'> {
  kind: DocumentKind
  uid: string
}

/**
 * Compares checksums of index and database in pages of ids, and yields the differences of each page, so memory use does not depend
 * on the number of rows. Changes still in the outbox do not count as differences. After each page it rests for `rest` times as long
 * as the page took. Ends early when `signal` is aborted.
 */
export async function* findDrift(
  { db, client, indexes, states, queue }: Compared,
  { rest = 0, signal }: { rest?: number; signal?: AbortSignal } = {},
): AsyncGenerator<Difference[]> {
  const uids = { parcel: indexes.parcels, entity: indexes.entities }
  for (const kind of DOCUMENT_KINDS) {
    const side = { db, client, states, queue, kind, uid: uids[kind] }
    for await (const { ids } of paced(findSuspects(side), rest, signal)) {
      if (ids.length > 0) yield await confirmDifferences(side, ids)
    }
  }
}

/** Ids that differ on a first comparison, page by page. Empty pages are yielded too, so that the caller can rest. */
async function* findSuspects(side: Side): AsyncGenerator<{ ids: string[] }> {
  const { db, client, states } = side
  let indexed = 0
  for (let after: string | null = null; ; ) {
    const { documents: rows, last }: DocumentPage = await listDocumentsAfter(db, side.kind, after, PAGE_SIZE, states)
    if (last === null) break
    after = last
    const checksums = await readChecksums(
      client,
      side.uid,
      rows.map(({ id }) => id),
    )
    indexed += checksums.size
    yield { ids: rows.filter(({ id, checksum }) => checksums.get(id) !== checksum).map(({ id }) => id) }
  }
  const { numberOfDocuments } = await client.index(side.uid).getStats()
  if (numberOfDocuments === indexed) return

  // Yielded only at the end: documents removed in between would shift the offsets.
  const leftOver: string[] = []
  for (let offset = 0; leftOver.length < MAX_LEFT_OVER; offset += LEFT_OVER_PAGE_SIZE) {
    const { results } = await client
      .index<Entry>(side.uid)
      .getDocuments({ fields: ['id'], limit: LEFT_OVER_PAGE_SIZE, offset })
    if (results.length === 0) break
    // This service never sends documents with other ids. A rebuild removes them.
    const ids = results.map(({ id }) => id).filter((id) => UUID.test(id))
    const existing = new Set(await listExistingIds(db, side.kind, ids, states))
    leftOver.push(...ids.filter((id) => !existing.has(id)))
    yield { ids: [] }
  }
  for (let start = 0; start < leftOver.length; start += PAGE_SIZE) {
    yield { ids: leftOver.slice(start, start + PAGE_SIZE) }
  }
}

/** Reads both sides again: a row may have changed between the two reads of the first comparison. */
const confirmDifferences = async (
  { db, client, states, queue, kind, uid }: Side,
  ids: readonly string[],
): Promise<Difference[]> => {
  const dropPending = async (suspects: readonly string[]) => {
    const pending = new Set(await listPending(db, queue, kind, suspects))
    return suspects.filter((id) => !pending.has(id))
  }
  const settled = await dropPending(ids)
  const wanted = new Map((await listDocuments(db, kind, settled, states)).map(({ id, checksum }) => [id, checksum]))
  const found = await readChecksums(client, uid, settled)
  const differing = await dropPending(settled.filter((id) => wanted.get(id) !== found.get(id)))
  return differing.map((id) => ({
    kind,
    id,
    how: !found.has(id) ? 'missing' : wanted.has(id) ? 'outdated' : 'left over',
  }))
}

const readChecksums = async (
  client: Meilisearch,
  uid: string,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  if (ids.length === 0) return new Map()
  // The client library puts the ids into the URL, which many servers and proxies limit to 8 KB.
  const { results } = await client.httpRequest.post<{ results: Entry[] }>({
    path: `indexes/${uid}/documents/fetch`,
    body: { ids, fields: ['id', 'checksum'], limit: ids.length },
  })
  return new Map(results.map(({ id, checksum }) => [id, checksum]))
}

/** Rests after each page for `rest` times as long as the page took. */
async function* paced<Page>(pages: AsyncGenerator<Page>, rest: number, signal?: AbortSignal): AsyncGenerator<Page> {
  for (let startedAt = performance.now(); ; startedAt = performance.now()) {
    const { value, done } = await pages.next()
    if (done || signal?.aborted) return
    yield value
    if (rest > 0) await Bun.sleep(rest * (performance.now() - startedAt))
  }
}
