import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { addToOutbox, countOutbox } from '../../../drizzle/queries/search/search-outbox'
import { connectMeilisearch } from '../../../search/index/indexes'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, waitFor } from '../../support/servers'
import { readBothSides } from '../expected-index'
import { startMeilisearchProxy } from '../meilisearch-proxy'

/** Two real sync processes. The first is frozen; its writes to Meilisearch go through a proxy that can hold them back. */

const { url, sql } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'sync-frozen-'))
const server = await startMeilisearch(dir)
if (server === null) throw new Error('there is no Meilisearch for this platform')
const meili = { url: server.url, masterKey: server.masterKey }
const client = connectMeilisearch(meili)

let held: PromiseWithResolvers<void> | null = null
let heldBack = 0
/** Documents sent by the first process. */
const sentByFirst: string[] = []
const proxy = startMeilisearchProxy(() => meili.url, {
  hold: async ({ url, method }, body) => {
    if (method !== 'POST' || !url.includes('/documents')) return
    sentByFirst.push(body)
    // The first process may still have to send other changes.
    if (held === null || !body.toUpperCase().includes('OWNER IN FLIGHT')) return
    heldBack++
    await held.promise
  },
})

const children: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL')
    child.kill('SIGCONT')
    await child.exited
  }
  await proxy.stop()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

const startSync = (meiliUrl: string) => {
  const child = Bun.spawn(commandOf('src/main.ts', 'sync'), {
    stdout: 'ignore',
    stderr: 'inherit',
    env: {
      ...process.env,
      DATABASE_URL: url,
      MEILI_URL: meiliUrl,
      MEILI_MASTER_KEY: meili.masterKey,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
    },
  })
  children.push(child)
  return child
}

await sql`
  insert into sources (source, state, county_name, vendor, base_url)
  values ('frozen_or', 'OR', 'Frozen', 'pacs', 'https://example.com')`
const setOwner = (ownerName: string) => upsertParcels(sql, 'frozen_or', [{ sourceParcelId: 'p1', ownerName }])
await setOwner('OWNER AT FIRST')
const [parcel] = await sql<{ id: string }[]>`select id from parcels`
const id = parcel?.id ?? ''

const ownerInIndex = async () =>
  client
    .index<{ name: string }>('parcels')
    .getDocument(id)
    .then(
      ({ name }) => name.toUpperCase(),
      () => null,
    )
const hasOwner = (name: string) => async () => (await ownerInIndex()) === name
/** The session of the first process that waits for our lock; later, what it does. `lacks values`: its statement was not prepared before. */
const READER = {
  waits: sql`wait_event_type = 'Lock'`,
  'has answered': sql`state = 'idle'`,
  'lacks values': sql`state = 'active' and wait_event = 'ClientRead'`,
}
const findReader = async (state: keyof typeof READER) => {
  const rows = await sql`
    select from pg_stat_activity where application_name = 'search-sync' and datname = current_database()
      and query like '%from live_parcels%' and ${READER[state]}`
  return rows.length > 0
}
/** No promise: the second process also has to start. */
const TAKEN_OVER_MS = 40_000
const HEALED_MS = 5_000

test('frozen between reading and sending a row: the next leader updates the index, and the first sends no old data when it continues', async () => {
  const first = startSync(proxy.url)
  await waitFor(hasOwner('OWNER AT FIRST'))
  // The statement that reads the rows is prepared. Otherwise the process would freeze before it executes it.
  await setOwner('OWNER OF A CHANGE')
  await waitFor(hasOwner('OWNER OF A CHANGE'))
  await waitFor(async () => (await countOutbox(sql)) === 0)

  const freezeFirst = async (): Promise<boolean> => {
    await sql.begin(async (tx) => {
      await tx`lock table parcels in access exclusive mode`
      await addToOutbox(sql, 'parcel', [id])
      do {
        first.kill('SIGCONT')
        await waitFor(() => findReader('waits'))
        first.kill('SIGSTOP')
        // On a busy machine its statement may be cancelled just before.
      } while (!(await findReader('waits')))
    })
    // The current rows are in the socket of the frozen process.
    await waitFor(async () => (await findReader('has answered')) || findReader('lacks values'))
    return findReader('has answered')
  }
  // On a busy machine it may have a new connection, with a statement that is not prepared.
  while (!(await freezeFirst())) {
    first.kill('SIGCONT')
    await waitFor(async () => (await countOutbox(sql)) === 0)
  }
  // Only now: on a busy machine it could have taken over before.
  startSync(meili.url)
  await setOwner('OWNER MEANWHILE')
  await waitFor(hasOwner('OWNER MEANWHILE'), TAKEN_OVER_MS)
  sentByFirst.length = 0
  first.kill('SIGCONT')
  // It queues its unsent documents again, which shows that it continues.
  const [before] = await sql<{ last: string }[]>`select last_value as last from search_outbox_seq`
  await waitFor(async () => {
    const [now] = await sql<{ last: string }[]>`select last_value as last from search_outbox_seq`
    return now?.last !== before?.last
  })
  await waitFor(async () => (await countOutbox(sql)) === 0)
  expect(sentByFirst).toEqual([])
  expect(await ownerInIndex()).toBe('OWNER MEANWHILE')
})

test('a request in flight when its sender freezes arrives late: the index is correct within 5 s after the thaw', async () => {
  // The second process leads. The first, whose requests go through the proxy, takes over from it.
  const [first, second] = children
  second?.kill('SIGTERM')
  await second?.exited
  const late = Promise.withResolvers<void>()
  held = late
  await setOwner('OWNER IN FLIGHT')
  await waitFor(() => heldBack > 0, TAKEN_OVER_MS)
  first?.kill('SIGSTOP')
  held = null
  await setOwner('OWNER OF NOW')
  startSync(meili.url)
  await waitFor(hasOwner('OWNER OF NOW'), TAKEN_OVER_MS)
  await waitFor(async () => (await countOutbox(sql)) === 0)
  late.resolve()
  await waitFor(hasOwner('OWNER IN FLIGHT'))
  const thawedAt = performance.now()
  first?.kill('SIGCONT')
  await waitFor(hasOwner('OWNER OF NOW'), HEALED_MS)
  console.log(`right ${Math.round(performance.now() - thawedAt)} ms after the thaw`)
  await waitFor(async () => (await countOutbox(sql)) === 0)
  const { wanted, indexed } = await readBothSides(sql, meili)
  expect(indexed).toEqual(wanted)
})
