import { withSpan } from '../../core/observe/with-span'
import type { Db } from '../../core/postgres/database'
import type { StateSet } from '../../core/state-set'
import {
  addToOutbox,
  type DocumentKind,
  deleteFromOutbox,
  listOutbox,
  type OutboxRow,
} from '../../drizzle/queries/search/search-outbox'
import type { EndedTasks } from '../index/index-build'
import { DOCUMENT_KINDS, listDocuments } from '../index/list-documents'
import { addDocuments, isTooLarge } from './add-documents'
import type { Enqueue, SyncContext } from './context'

/** Which changes to send (those after this outbox number), and to which indexes. */
export interface Route {
  after: string
  uids: Record<DocumentKind, readonly string[]>
}

export interface Delivery {
  /** Sends the oldest changes that are not in flight. True when more changes are ready to send. */
  sendNext: (route: Route) => Promise<boolean>
  /** The Meilisearch tasks of the changes in flight. */
  tasks: () => number[]
  /** Deletes the changes whose tasks succeeded from the outbox. */
  confirm: (ended: EndedTasks) => Promise<void>
  /** True when no change is in flight. */
  isIdle: () => boolean
  /** Drops the state of the changes in flight. They are still in the outbox and will be sent again. */
  forget: () => void
  /** Puts everything unconfirmed back into the outbox: it may reach Meilisearch after newer documents from the next leader. */
  sendAgain: () => Promise<void>
  /** Clears all state. Call it when the lead has ended and no request is open. */
  leave: () => void
  /** The number of changes that were sent and are not confirmed. */
  inFlight: () => number
  /** The number of changes confirmed since the start. */
  confirmed: () => number
}

/** Most changes per batch, and most batches in flight. Meilisearch indexes queued tasks together. */
const BATCH_SIZE = 5_000
const MAX_BATCHES = 12

/** Changes that were sent together. When all tasks have ended, the outbox rows are deleted. */
interface Batch {
  rows: readonly OutboxRow[]
  tasks: Set<number>
}

/**
 * Delivers the changes in the outbox to the indexes. Sending a change sends the current row. The change leaves the outbox when
 * Meilisearch has confirmed it. If anything fails before that, it is sent again.
 */
export const createDelivery = ({ connections, states, queue, write, enqueue, say }: SyncContext): Delivery => {
  let sent: Batch[] = []
  /** Ids sent (or about to be sent) under this lead and not confirmed. They may still arrive after `forget`. */
  const unsure = { parcel: new Set<string>(), entity: new Set<string>() }
  /** Most changes per batch. Smaller while we search for a document that Meilisearch refuses. */
  let batchLimit = BATCH_SIZE
  let confirmed = 0

  const sentRows = () => sent.flatMap(({ rows }) => rows)

  const forget = () => {
    sent = []
  }

  /** Halves the batches until the refused document is alone in one, then skips it so that it does not block the others. */
  const refuse = async (rows: readonly OutboxRow[], reason: string) => {
    forget()
    batchLimit = Math.max(1, Math.floor(rows.length / 2))
    const [row] = rows
    if (row === undefined || rows.length > 1) return
    await write((tx) => deleteFromOutbox(tx, queue, [row.seq]))
    batchLimit = BATCH_SIZE
    say({ kind: 'refused', document: row.kind, id: row.id, reason })
  }

  /** True when more changes are ready to send. */
  const send = async (rows: readonly OutboxRow[], uids: Route['uids']): Promise<boolean> => {
    for (const { kind, id } of rows) unsure[kind].add(id)
    const contents = await readContents(connections.work(), rows, states)
    try {
      sent.push({ rows, tasks: await sendContents(enqueue, uids, contents) })
    } catch (error) {
      if (!isTooLarge(error)) throw error
      await refuse(rows, error.message)
      return true
    }
    return rows.length === BATCH_SIZE
  }

  return {
    async sendNext({ after, uids }) {
      const mostBatches = batchLimit < BATCH_SIZE ? 1 : MAX_BATCHES
      if (sent.length >= mostBatches) return false
      const inFlight = sentRows().map(({ seq }) => seq)
      const rows = await listOutbox(connections.work(), queue, { after, inFlight, limit: batchLimit })
      if (rows.length === 0) return false
      return withSpan('sync batch', { 'changes.count': rows.length }, () => send(rows, uids))
    },
    tasks: () => sent.flatMap(({ tasks }) => [...tasks]),
    async confirm(ended) {
      for (const { rows, tasks } of sent) {
        for (const uid of tasks) {
          const refusal = ended.get(uid)?.refusal ?? null
          if (refusal !== null) return refuse(rows, refusal)
          if (ended.has(uid)) tasks.delete(uid)
        }
      }
      const rows = sent.filter(({ tasks }) => tasks.size === 0).flatMap((batch) => batch.rows)
      if (rows.length === 0) return
      const seqs = rows.map(({ seq }) => seq)
      await write((tx) => deleteFromOutbox(tx, queue, seqs))
      sent = sent.filter(({ tasks }) => tasks.size > 0)
      for (const { kind, id } of rows) unsure[kind].delete(id)
      confirmed += rows.length
      batchLimit = Math.min(BATCH_SIZE, batchLimit * 2)
    },
    isIdle: () => sent.length === 0,
    forget,
    async sendAgain() {
      for (const kind of DOCUMENT_KINDS) {
        if (unsure[kind].size > 0) await addToOutbox(connections.work(), kind, [...unsure[kind]])
      }
    },
    leave() {
      forget()
      for (const kind of DOCUMENT_KINDS) unsure[kind].clear()
    },
    inFlight: () => sentRows().length,
    confirmed: () => confirmed,
  }
}

/** The contents of a batch: documents to replace, and ids whose rows no longer exist, or are in states of other instances. */
interface Contents {
  kind: DocumentKind
  documents: readonly { id: string }[]
  gone: string[]
}

const readContents = (db: Db, rows: readonly OutboxRow[], states: StateSet): Promise<Contents[]> =>
  Promise.all(
    DOCUMENT_KINDS.map(async (kind) => {
      const ids = rows.filter((row) => row.kind === kind).map(({ id }) => id)
      const documents = await listDocuments(db, kind, ids, states)
      const found = new Set(documents.map(({ id }) => id))
      return { kind, documents, gone: ids.filter((id) => !found.has(id)) }
    }),
  )

/** Returns the Meilisearch task ids. */
const sendContents = async (
  enqueue: Enqueue,
  uids: Route['uids'],
  contents: readonly Contents[],
): Promise<Set<number>> => {
  const tasks = new Set<number>()
  for (const { kind, documents, gone } of contents) {
    for (const uid of uids[kind]) {
      for (const task of await addDocuments(enqueue, uid, documents)) tasks.add(task)
      if (gone.length > 0) tasks.add(await enqueue((client) => client.index(uid).deleteDocuments(gone)))
    }
  }
  return tasks
}
