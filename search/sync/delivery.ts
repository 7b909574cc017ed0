import type { Db } from '../../core/postgres/database'
import { withSpan } from '../../core/with-span'
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

/** Which changes have to be sent, those after a number of the outbox, and the indexes that have to know. */
export interface Route {
  after: string
  uids: Record<DocumentKind, readonly string[]>
}

export interface Delivery {
  /** Sends the oldest changes that are not on their way yet. True when there is more to send at once. */
  sendNext: (route: Route) => Promise<boolean>
  /** The tasks that bring what was sent. */
  tasks: () => number[]
  /** Forgets the changes whose tasks have ended well. */
  confirm: (ended: EndedTasks) => Promise<void>
  /** Nothing that was sent waits to be confirmed. */
  isIdle: () => boolean
  /** Gives up what was sent: what is in the outbox will be sent again. */
  forget: () => void
  /** Puts up for sending what may be on its way to Meilisearch, or waits there: the next leader may have overtaken it. */
  sendAgain: () => Promise<void>
  /** The lead has ended, and no request is under way. */
  leave: () => void
  /** Changes that were sent and not yet confirmed. */
  inFlight: () => number
  /** Changes that were confirmed, ever. */
  confirmed: () => number
}

/** Documents a request carries, and requests that may wait in Meilisearch, which indexes waiting ones together. */
const BATCH_SIZE = 5_000
const MOST_BATCHES = 12

/** Changes that were sent: when the tasks have ended, the outbox rows can go. */
interface Batch {
  rows: readonly OutboxRow[]
  tasks: Set<number>
}

/**
 * Brings the changes of the outbox to the indexes. A change is sent, the row as it is then; it leaves the outbox when
 * Meilisearch has confirmed it; what goes wrong in between is sent again.
 */
export const createDelivery = ({ connections, write, enqueue, say }: SyncContext): Delivery => {
  let sent: Batch[] = []
  /** Sent under this lead, or about to be, and not confirmed. What was given up may arrive all the same. */
  const unsure = { parcel: new Set<string>(), entity: new Set<string>() }
  /** Changes a batch may carry: fewer while a document is looked for that Meilisearch refuses. */
  let batchLimit = BATCH_SIZE
  let confirmed = 0

  const sentRows = () => sent.flatMap(({ rows }) => rows)

  const forget = () => {
    sent = []
  }

  /** Halves the batches until the refused document is alone in one, and then leaves it out: the others must not wait for it. */
  const refuse = async (rows: readonly OutboxRow[], reason: string) => {
    forget()
    batchLimit = Math.max(1, Math.floor(rows.length / 2))
    const [row] = rows
    if (row === undefined || rows.length > 1) return
    await write((tx) => deleteFromOutbox(tx, [row.seq]))
    batchLimit = BATCH_SIZE
    say({ kind: 'refused', document: row.kind, id: row.id, reason })
  }

  /** True when there is more to send at once. */
  const send = async (rows: readonly OutboxRow[], uids: Route['uids']): Promise<boolean> => {
    for (const { kind, id } of rows) unsure[kind].add(id)
    const contents = await readContents(connections.work(), rows)
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
      const mostBatches = batchLimit < BATCH_SIZE ? 1 : MOST_BATCHES
      if (sent.length >= mostBatches) return false
      const inFlight = sentRows().map(({ seq }) => seq)
      const rows = await listOutbox(connections.work(), { after, inFlight, limit: batchLimit })
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
      await write((tx) => deleteFromOutbox(tx, seqs))
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

/** What changes come to: documents to put in the place of the old ones, and ids that have no row any more. */
interface Contents {
  kind: DocumentKind
  documents: readonly { id: string }[]
  gone: string[]
}

const readContents = (db: Db, rows: readonly OutboxRow[]): Promise<Contents[]> =>
  Promise.all(
    DOCUMENT_KINDS.map(async (kind) => {
      const ids = rows.filter((row) => row.kind === kind).map(({ id }) => id)
      const documents = await listDocuments(db, kind, ids)
      const found = new Set(documents.map(({ id }) => id))
      return { kind, documents, gone: ids.filter((id) => !found.has(id)) }
    }),
  )

/** Names the tasks of Meilisearch. */
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
