import { withSpan } from '../../core/with-span'
import { countSearchRows } from '../../drizzle/queries/search/search-documents'
import { endRebuild, setRebuildProgress, startWork } from '../../drizzle/queries/search/search-index-work'
import {
  addToOutbox,
  type DocumentKind,
  deleteFromOutboxUpTo,
  findLastChange,
  hasChanges,
  markOutbox,
} from '../../drizzle/queries/search/search-outbox'
import {
  createShadowIndexes,
  dropShadowIndexes,
  type EndedTasks,
  findBuiltVersion,
  hasLiveIndexes,
  swapIndexes,
} from '../index/index-build'
import { SETTINGS_VERSION } from '../index/indexes'
import { listDocumentsAfter } from '../index/list-documents'
import { addDocuments, isTooLarge } from './add-documents'
import type { SyncContext } from './context'
import type { Route } from './delivery'

export interface Rebuild {
  /** Somebody asks for one. */
  want: () => void
  /** Whether one has to begin: it is wanted, or the live indexes are not as this code makes them. */
  isDue: () => Promise<boolean>
  begin: () => Promise<void>
  isUnderWay: () => boolean
  /** Documents that were sent, of how many; null when none is under way. */
  progress: () => { done: number; total: number } | null
  /** Where changes have to be sent at the moment. */
  route: () => Route
  /** Sends one page. False when there is nothing to do at the moment. */
  sendNext: () => Promise<boolean>
  /** The tasks that bring the pages. */
  tasks: () => number[]
  /** Forgets the pages whose tasks have ended. */
  confirm: (ended: EndedTasks) => Promise<void>
  /** The shadow indexes have all that there was: changes apart, the swap is next. */
  isFilled: () => boolean
  /** Puts the new indexes in the place of the live ones. Nothing may be under way. */
  swap: () => Promise<void>
  /** Stops in the middle; what is wanted is begun anew. */
  drop: () => void
  /** Puts up for sending what may be on its way to Meilisearch: the next leader may be building the indexes by now. */
  sendAgain: () => Promise<void>
  /** The lead has ended, and with it all that was asked of it. */
  leave: () => void
  /** Removes what a rebuild that was cut off has left. */
  dropLeftovers: () => Promise<void>
}

/** A rebuild reads smaller pages, more of them: rows, documents and their text are in memory at once, and never rest. */
const PAGE_SIZE = 2_000
const MOST_PAGES = 60
const FORGET_SIZE = 50_000
/** How far a rebuild is is written down this often. */
const PROGRESS_MS = 1_000

interface Page {
  kind: DocumentKind
  ids: string[]
}

/** A rebuild under way: the next page begins after `after`. */
interface Fill {
  /** Of which documents the next page is; null when all were sent. */
  reading: DocumentKind | null
  after: string | null
  done: number
  total: number
  /** Pages that were sent and are not confirmed, by task. */
  tasks: Map<number, Page>
  /** Documents of refused pages are sent as changes, up to this number of the outbox; null when there are none to wait for. */
  resendUpTo: string | null
  /** Whether indexes are live meanwhile, which have to learn of changes, too. */
  hasLive: boolean
  startedAt: number
  progressWrittenAt: number
  /** Changes up to this number of the outbox were made before the first page was read: the rebuild brings them. */
  mark: string
}

/** Builds the indexes anew beside the live ones, from all rows, in pages, and swaps. */
export const createRebuild = ({ connections, client, indexes, write, enqueue, say }: SyncContext): Rebuild => {
  const live = { parcel: indexes.parcels, entity: indexes.entities }
  const shadow = { parcel: indexes.shadowParcels, entity: indexes.shadowEntities }
  let isWanted = false
  let fill: Fill | null = null
  /** Shadow indexes of a rebuild that was cut off, of this process or another. */
  let mayHaveLeftovers = true
  /** Pages that were sent without an answer under this lead: Meilisearch may take them all the same. */
  const unsure = new Set<Page>()

  const drop = () => {
    fill = null
    mayHaveLeftovers = true
  }

  /** As changes, the documents of a refused page are sent in ever smaller batches, until the one is known. */
  const resend = async (under: Fill, page: Page) => {
    await addToOutbox(connections.work(), page.kind, page.ids)
    under.resendUpTo = await findLastChange(connections.work())
  }

  /** The page may be empty: the next one is then of the next kind. */
  const sendPage = async (under: Fill, kind: DocumentKind): Promise<boolean> => {
    const documents = await listDocumentsAfter(connections.work(), kind, under.after, PAGE_SIZE)
    const last = documents.at(-1)
    if (last === undefined) {
      under.reading = kind === 'parcel' ? 'entity' : null
      under.after = null
      return true
    }
    const page = { kind, ids: documents.map(({ id }) => id) }
    unsure.add(page)
    try {
      for (const task of await addDocuments(enqueue, shadow[kind], documents)) under.tasks.set(task, page)
    } catch (error) {
      if (!isTooLarge(error)) throw error
      await resend(under, page)
    }
    under.after = last.id
    under.done += documents.length
    if (Date.now() - under.progressWrittenAt > PROGRESS_MS) {
      under.progressWrittenAt = Date.now()
      await write((tx) => setRebuildProgress(tx, under.done))
    }
    return true
  }

  return {
    want() {
      isWanted = true
    },
    isDue: async () => isWanted || (await findBuiltVersion(client, indexes)) !== SETTINGS_VERSION,
    async begin() {
      const work = connections.work()
      say({ kind: 'rebuild_started' })
      const hasLive = await hasLiveIndexes(client, indexes)
      const { parcels, entities } = await countSearchRows(work)
      await write((tx) => startWork(tx, 'rebuild', parcels + entities))
      await createShadowIndexes(enqueue, client, indexes)
      fill = {
        reading: 'parcel',
        after: null,
        done: 0,
        total: parcels + entities,
        tasks: new Map(),
        resendUpTo: null,
        hasLive,
        startedAt: Date.now(),
        progressWrittenAt: 0,
        mark: await markOutbox(work),
      }
    },
    isUnderWay: () => fill !== null,
    progress: () => fill && { done: fill.done, total: fill.total },
    route() {
      if (fill === null) return { after: '0', uids: { parcel: [live.parcel], entity: [live.entity] } }
      // Where nothing is live yet, what the rebuild brings need not be sent beside it.
      if (!fill.hasLive) return { after: fill.mark, uids: { parcel: [shadow.parcel], entity: [shadow.entity] } }
      return {
        after: '0',
        uids: { parcel: [live.parcel, shadow.parcel], entity: [live.entity, shadow.entity] },
      }
    },
    async sendNext() {
      if (fill === null || fill.reading === null || fill.tasks.size >= MOST_PAGES) return false
      const under = fill
      const kind = fill.reading
      return withSpan('rebuild batch', { kind }, () => sendPage(under, kind))
    },
    tasks: () => [...(fill?.tasks.keys() ?? [])],
    async confirm(ended) {
      if (fill === null) return
      const work = connections.work()
      for (const [uid, page] of fill.tasks) {
        const task = ended.get(uid)
        if (task === undefined) continue
        fill.tasks.delete(uid)
        unsure.delete(page)
        if (task.refusal !== null) await resend(fill, page)
      }
      if (fill.resendUpTo === null) return
      if (!(await hasChanges(work, { after: fill.mark, upTo: fill.resendUpTo }))) fill.resendUpTo = null
    },
    isFilled: () => fill !== null && fill.reading === null && fill.tasks.size === 0 && fill.resendUpTo === null,
    async swap() {
      if (fill === null) return
      const { mark, done } = fill
      await swapIndexes(enqueue, client, indexes)
      // In sets: a transaction of a leader must be short.
      while ((await write((tx) => deleteFromOutboxUpTo(tx, mark, FORGET_SIZE))) === FORGET_SIZE);
      await write((tx) => endRebuild(tx, done))
      say({ kind: 'rebuilt', documents: fill.done, durationMs: Date.now() - fill.startedAt })
      fill = null
      isWanted = false
    },
    drop,
    async sendAgain() {
      for (const { kind, ids } of unsure) await addToOutbox(connections.work(), kind, ids)
    },
    leave() {
      drop()
      isWanted = false
      unsure.clear()
    },
    async dropLeftovers() {
      if (mayHaveLeftovers) await dropShadowIndexes(enqueue, client, indexes)
      mayHaveLeftovers = false
    },
  }
}
