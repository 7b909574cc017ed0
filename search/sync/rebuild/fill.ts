import { withSpan } from '../../../core/observe/with-span'
import {
  addToOutbox,
  type DocumentKind,
  findLastChange,
  hasChanges,
} from '../../../drizzle/queries/search/search-outbox'
import type { EndedTasks } from '../../index/index-build'
import { listDocumentsAfter } from '../../index/list-documents'
import { addDocuments, isTooLarge } from '../add-documents'
import type { SyncContext } from '../context'

/** Fills the shadow indexes with the documents of all rows, page by page. */
export interface Fill {
  /** Sends one page. False when there is nothing to send now. */
  sendNext: () => Promise<boolean>
  /** The number of documents that were sent. */
  done: () => number
  /** The Meilisearch tasks of the pages in flight. */
  tasks: () => number[]
  /** Forgets the pages whose tasks have ended. */
  confirm: (ended: EndedTasks) => Promise<void>
  /** The shadow indexes are complete except for changes in flight. */
  isComplete: () => boolean
}

export interface FillOptions {
  /** Changes up to this outbox number were made before the first page is read. */
  mark: string
  /** The fill adds each page when it sends it, and deletes it when it is confirmed. */
  unsure: Set<Page>
}

/** The documents of one page. */
export interface Page {
  kind: DocumentKind
  ids: string[]
}

/** A rebuild reads smaller pages than the delivery, and more of them: rows, documents and their text are in memory together. */
const PAGE_SIZE = 2_000
const MAX_PAGES = 60

export const createFill = (context: SyncContext, { mark, unsure }: FillOptions): Fill => {
  const { connections, indexes, states, queue, enqueue } = context
  const shadow = { parcel: indexes.shadowParcels, entity: indexes.shadowEntities }
  /** The kind of documents on the next page. Null when all were sent. */
  let reading: DocumentKind | null = 'parcel'
  /** The next page begins after this document. */
  let after: string | null = null
  let done = 0
  /** Pages that were sent and are not confirmed, by task id. */
  const tasks = new Map<number, Page>()
  /** Documents of refused pages are sent as changes, up to this outbox number. Null when there are none to wait for. */
  let resendUpTo: string | null = null

  /** Sends the documents of a refused page as changes. The delivery halves its batches until it finds the refused document. */
  const resend = async (page: Page) => {
    await addToOutbox(connections.work(), page.kind, page.ids)
    resendUpTo = await findLastChange(connections.work())
  }

  /** An empty page moves on to the next kind of document. */
  const sendPage = async (kind: DocumentKind): Promise<void> => {
    const { documents, last } = await listDocumentsAfter(connections.work(), kind, after, PAGE_SIZE, states)
    if (last === null) {
      reading = kind === 'parcel' ? 'entity' : null
      after = null
      return
    }
    const page = { kind, ids: documents.map(({ id }) => id) }
    if (documents.length > 0) unsure.add(page)
    try {
      for (const task of await addDocuments(enqueue, shadow[kind], documents)) tasks.set(task, page)
    } catch (error) {
      if (!isTooLarge(error)) throw error
      await resend(page)
    }
    after = last
    done += documents.length
  }

  return {
    async sendNext() {
      if (reading === null || tasks.size >= MAX_PAGES) return false
      const kind = reading
      await withSpan('rebuild batch', { kind }, () => sendPage(kind))
      return true
    },
    done: () => done,
    tasks: () => [...tasks.keys()],
    async confirm(ended) {
      for (const [uid, page] of tasks) {
        const task = ended.get(uid)
        if (task === undefined) continue
        tasks.delete(uid)
        unsure.delete(page)
        if (task.refusal !== null) await resend(page)
      }
      if (resendUpTo === null) return
      if (!(await hasChanges(connections.work(), queue, { after: mark, upTo: resendUpTo }))) resendUpTo = null
    },
    isComplete: () => reading === null && tasks.size === 0 && resendUpTo === null,
  }
}
