import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createPageKeeper, type PageSetToKeep } from '../../../src/scrape/pages/keep-pages'
import { decodePageSet, type PageSet } from '../../../src/scrape/pages/page-set'
import { createPageStore, type PageStore } from '../../../src/scrape/pages/page-store'
import type { DropReason } from '../../../src/scrape/pages/stored-pages'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { startProcessorClock } from '../../support/processor-clock'
import { createTestDatabase, waitFor } from '../../support/servers'
import { startS3Server } from '../../tiles-build/s3-server'
import { createPageAdapter, pageOf, startPagePortal } from './page-portal'

const { sql, url } = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'pages-'))
const portal = startPagePortal()
afterAll(() => {
  portal.stop()
  rmSync(folder, { recursive: true })
})
await insertVendor(sql, 'test', 10)
await insertSource(sql, 'elm', 'test')
await sql`update sources set base_url = ${portal.url} where source = 'elm'`

const setOf = (sourceParcelId: string, body: string, more: Partial<PageSetToKeep> = {}): PageSetToKeep => ({
  ...{ source: 'elm', sourceParcelId, adapter: 'test', overrides: {}, failure: null },
  answers: [
    {
      ...{ name: 'property', url: 'https://portal.example/', status: 200, headers: {}, body },
      asked: { method: 'GET', url: 'https://portal.example/' },
    },
  ],
  answeredAt: [new Date().toISOString()],
  ...more,
})

interface KeptRow {
  source_parcel_id: string
  hash: string
  outcome: string
  message: string | null
  size_bytes: number
}
const rowsOf = (parcel: string) => sql<KeptRow[]>`
  select source_parcel_id, hash, outcome, message, size_bytes from kept_pages
  where source_parcel_id = ${parcel} and stored_at is not null order by fetched_at`
const readSet = async (store: PageStore, hash: string): Promise<PageSet> => {
  const bytes = await store.get(hash)
  if (bytes === null) throw new Error(`${hash} is missing`)
  return decodePageSet(hash, bytes)
}
const listFiles = (place: string): string[] =>
  readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.zst'))

/** A text that does not compress. */
const noise = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64')

test('a scrape keeps each of its answers, without cookies and without secrets in addresses', async () => {
  const store = createPageStore(join(folder, 'scrape'))
  const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
  const portals = createPortalAccess({ userAgent: 'test', allowPrivate: true, spacingMs: 0 })
  const scrapeParcel = createScrapeParcel({
    ...{ sql, keeper },
    findAdapter: () => createPageAdapter(),
    createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  })
  portal.pages.set('7 é', pageOf('7 é'))
  const { kept } = await scrapeParcel({ source: 'elm', sourceParcelId: '7 é' }, { signal: AbortSignal.timeout(20_000) })
  await keeper.stop()
  const [row] = await rowsOf('7 é')
  expect(row).toMatchObject({ outcome: 'done', hash: kept?.hash ?? '' })
  const set = await readSet(store, row?.hash ?? '')
  expect(set.answers.map(({ name, status }) => [name, status])).toEqual([
    ['search', 200],
    ['property', 200],
  ])
  expect(set.answers[1]?.body).toBe(pageOf('7 é'))
  expect(set.answers[1]?.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(set.answers[1]?.url).toBe(`${portal.url}/property?id=7%20%C3%A9&access_token=REDACTED`)
  expect(JSON.stringify(set)).not.toContain('secret')
})

const s3 = startS3Server()
const credentials = { endpoint: s3.url, accessKeyId: 'id', secretAccessKey: 'secret' }

for (const [kind, place] of [
  ['a folder', join(folder, 'kept')],
  ['a bucket', 's3://bucket/pages'],
] as const) {
  describe(kind, () => {
    const store = createPageStore(place, credentials)
    const parcel = (name: string) => `${kind} ${name}`

    test('keeps the last two pages of a parcel, and equal answers once', async () => {
      const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
      const id = parcel('two')
      const hashes: string[] = []
      for (const body of ['one', 'two', 'two', 'three']) {
        hashes.push(keeper.keep(setOf(id, body))?.hash ?? '')
        await keeper.settle()
      }
      await keeper.stop()
      expect(hashes[1]).toBe(hashes[2] ?? '')
      expect((await rowsOf(id)).map(({ hash }) => hash)).toEqual(hashes.slice(2))
      expect((await readSet(store, hashes[3] ?? '')).answers[0]?.body).toBe('three')
      expect(await store.get(hashes[0] ?? '')).toBeNull()
    })

    test('keeps every failed page for 30 days', async () => {
      const id = parcel('failed')
      let keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
      const failure = { code: 'page_changed', message: 'no "Owner"\0' }
      const hashes = ['a', 'b', 'c'].map((body) => keeper.keep(setOf(id, body, { failure }))?.hash ?? '')
      for (const body of ['d', 'e', 'f']) keeper.keep(setOf(id, body))
      await keeper.stop()
      expect((await rowsOf(id)).filter(({ outcome }) => outcome === 'page_changed')).toHaveLength(3)
      await sql`update kept_pages set fetched_at = now() - interval '31 days' where hash = ${hashes[0] ?? ''}`
      keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
      keeper.keep(setOf(id, 'g'))
      await keeper.settle()
      await keeper.stop()
      expect((await rowsOf(id)).map(({ hash }) => hash)).not.toContain(hashes[0] ?? '')
      expect(await store.get(hashes[0] ?? '')).toBeNull()
      expect(await store.get(hashes[1] ?? '')).not.toBeNull()
    })

    test('removes the oldest pages when their total size exceeds the limit', async () => {
      await sql`delete from kept_pages`
      let removed = 0
      const keeper = createPageKeeper({ sql, store, maxBytes: 200_000, onRemoved: (pages) => (removed += pages) })
      const hashes: string[] = []
      for (let number = 0; number < 30; number++) {
        hashes.push(keeper.keep(setOf(parcel(`large ${number}`), noise(15_000)))?.hash ?? '')
        await keeper.settle()
        const [row] = await sql<{ bytes: number }[]>`select sum(size_bytes)::float8 as bytes from kept_pages`
        expect(row?.bytes).toBeLessThanOrEqual(200_000)
      }
      await keeper.stop()
      const rows = await sql<{ hash: string }[]>`select hash from kept_pages order by fetched_at`
      expect(rows.length).toBeGreaterThan(8)
      expect(rows.map(({ hash }) => hash)).toEqual(hashes.slice(-rows.length))
      expect(removed).toBe(30 - rows.length)
      expect(await store.get(hashes[0] ?? '')).toBeNull()
    })
  })
}

describe('a store that fails', () => {
  const failing: [string, () => PageStore][] = [
    [
      'a folder that cannot be written',
      () => {
        const file = join(folder, 'a-file')
        writeFileSync(file, '')
        return createPageStore(file)
      },
    ],
    ['a dead bucket', () => createPageStore('s3://bucket/x', { ...credentials, endpoint: 'http://127.0.0.1:9' })],
    ['a bucket that never answers', () => createPageStore('s3://frozen/x', { ...credentials, answerMs: 300 })],
  ]
  for (const [name, open] of failing) {
    test(`${name}: keeping returns immediately, and the loss is reported`, async () => {
      const dropped: [DropReason, number][] = []
      const errors: unknown[] = []
      const keeper = createPageKeeper({
        ...{ sql, store: open(), maxBytes: 1024 ** 3 },
        onDropped: (reason, pages) => dropped.push([reason, pages]),
        onError: (error) => errors.push(error),
      })
      const processorMs = startProcessorClock()
      for (let number = 0; number < 20; number++) keeper.keep(setOf(`lost ${number}`, `${number}`))
      expect(processorMs()).toBeLessThan(1_000)
      await keeper.settle()
      await keeper.stop()
      expect(dropped.reduce((sum, [, pages]) => sum + pages, 0)).toBe(20)
      expect(errors.length).toBeGreaterThan(0)
      const rows = await sql`select from kept_pages where source_parcel_id like 'lost %'`
      expect(rows).toHaveLength(0)
    })
  }

  test('pages that are too large, or too many at a time, are dropped and counted', async () => {
    const dropped: DropReason[] = []
    const store = createPageStore(join(folder, 'many'))
    const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3, onDropped: (reason) => dropped.push(reason) })
    expect(keeper.keep(setOf('huge', 'x'.repeat(4_000_001)))).toBeNull()
    for (let number = 0; number < 1_200; number++) keeper.keep(setOf('many', `${number}`))
    expect(dropped.filter((reason) => reason === 'too_large')).toHaveLength(1)
    expect(dropped.filter((reason) => reason === 'queue_full').length).toBeGreaterThan(0)
    await keeper.stop()
  })
})

test('a killed process leaves no page without a row, and no row whose page cannot be read', async () => {
  await sql`delete from kept_pages`
  const place = join(folder, 'killed')
  const store = createPageStore(place)
  for (let round = 0; round < 3; round++) {
    const process_ = Bun.spawn(commandOf('test/scrape/pages/keep-process.ts', url, place), {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const before = (await sql`select from kept_pages`).length
    await waitFor(async () => (await sql`select from kept_pages`).length > Math.min(70, before + 20))
    process_.kill('SIGKILL')
    await process_.exited
  }
  for (const { hash } of await sql<{ hash: string }[]>`select hash from kept_pages where stored_at is not null`) {
    expect((await readSet(store, hash)).answers).toHaveLength(1)
  }
  await sql`update kept_pages set fetched_at = now() - interval '11 minutes' where stored_at is null`
  const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
  keeper.keep(setOf('after', 'the kill'))
  await keeper.settle()
  await keeper.stop()
  const rows = await sql<
    { hash: string; stored: boolean }[]
  >`select hash, stored_at is not null as stored from kept_pages`
  expect(rows.every(({ stored }) => stored)).toBe(true)
  const known = new Set(rows.map(({ hash }) => `${hash.slice(0, 2)}/${hash}.json.zst`))
  expect(listFiles(place).filter((file) => !known.has(file))).toEqual([])
})

describe('removing pages', () => {
  /** Keeps three pages of a parcel, so that the first is removed. Returns its hash. */
  const keepThree = async (store: PageStore, id: string): Promise<string> => {
    const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
    const sets = [3, 2, 1].map((seconds) => ({
      ...setOf(id, `${seconds}`),
      answeredAt: [new Date(Date.now() - seconds * 1_000).toISOString()],
    }))
    const [hash = ''] = sets.map((set) => keeper.keep(set)?.hash ?? '')
    await keeper.stop()
    return hash
  }

  test('no transaction is open while the store removes bytes', async () => {
    const store = createPageStore(join(folder, 'idle'))
    const open: number[] = []
    const remove: PageStore['remove'] = async (hash) => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`
      open.push(row?.count ?? -1)
      await store.remove(hash)
    }
    const hash = await keepThree({ ...store, remove }, 'idle')
    expect(open).toEqual([0])
    expect(await store.get(hash)).toBeNull()
  })

  test('a page whose removal failed is not listed, and a later sweep removes it', async () => {
    const store = createPageStore(join(folder, 'refused'))
    const remove = () => Promise.reject(new Error('refused'))
    const hash = await keepThree({ ...store, remove }, 'refused')
    expect((await rowsOf('refused')).map((row) => row.hash)).not.toContain(hash)
    expect(await store.get(hash)).not.toBeNull()
    await sql`update kept_pages set fetched_at = fetched_at - interval '11 minutes' where hash = ${hash} and stored_at is null`
    const keeper = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
    keeper.keep(setOf('refused', 'after'))
    await keeper.settle()
    await keeper.stop()
    expect(await store.get(hash)).toBeNull()
    expect(await sql`select from kept_pages where hash = ${hash}`).toHaveLength(0)
  })

  test('a page that is received again during its removal is not listed without its bytes', async () => {
    const store = createPageStore(join(folder, 'again'))
    const remove: PageStore['remove'] = async (hash) => {
      const other = createPageKeeper({ sql, store, maxBytes: 1024 ** 3 })
      other.keep(setOf('again', '3'))
      await other.settle()
      await other.stop()
      await store.remove(hash)
    }
    await keepThree({ ...store, remove }, 'again')
    for (const { hash } of await rowsOf('again')) expect(await store.get(hash)).not.toBeNull()
  })
})
