import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { upsertEntities } from '../../../drizzle/queries/entities/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { findFreePort } from '../../../src/operations/embedded/child'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, waitFor } from '../../support/servers'
import { readBothSides } from '../expected-index'
import { startMeilisearchProxy } from '../meilisearch-proxy'

/** Separate processes that are really killed: the sync role and Meilisearch. */
const KILLS_OF_EACH = 5
const PARCELS = 4_000
const ENTITIES = 200

const { url, sql } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'sync-kill-'))
const metricsPort = await findFreePort()
const children = new Set<Bun.Subprocess>()

const startServer = async () => {
  const server = await startMeilisearch(dir)
  if (server === null) throw new Error('there is no Meilisearch for this platform')
  return server
}
let server = await startServer()
// A restarted server has another port, but the sync role keeps its URL.
const proxy = startMeilisearchProxy(() => server.url)

const startSync = () => {
  const child = Bun.spawn(commandOf('src/main.ts', 'sync'), {
    stdout: 'ignore',
    stderr: 'inherit',
    env: {
      ...process.env,
      DATABASE_URL: url,
      MEILI_URL: proxy.url,
      MEILI_MASTER_KEY: server.masterKey,
      METRICS_PORT: String(metricsPort),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
    },
  })
  children.add(child)
  child.exited.then(() => children.delete(child))
  return child
}

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await proxy.stop()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

const readMetric = async (name: string): Promise<number | null> => {
  const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
    .then((answer) => answer.text())
    .catch(() => '')
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return line === undefined ? null : Number(line.split(' ')[1])
}

/** Changes of every kind, one transaction after another, until it is stopped. */
const changeRows = () => {
  let stopped = false
  let changes = 0
  const draw = (below: number) => Math.floor(Math.random() * below)
  const parcel = () => ({
    sourceParcelId: `k${draw(PARCELS)}`,
    ownerName: `OWNER ${draw(ENTITIES)} LLC`,
    situsAddress: `${draw(9_000)} MAIN ST`,
    assessedValue: draw(1_000_000),
  })
  const change = async () => {
    const kind = changes++ % 10
    const rows = [...new Map(Array.from({ length: 40 }, parcel).map((row) => [row.sourceParcelId, row])).values()]
    if (kind === 0) {
      await sql`delete from parcels where source_parcel_id = any(${rows.slice(0, 15).map((row) => row.sourceParcelId)})`
    } else if (kind === 1) {
      await upsertEntities(sql, 'OR', [
        { registryNumber: `E${draw(ENTITIES)}`, name: `OWNER ${draw(ENTITIES)} LLC`, status: `state ${changes}` },
      ])
    } else if (kind === 2) {
      await sql`delete from entities where registry_number = ${`E${draw(ENTITIES)}`}`
    } else if (kind === 3 && changes % 50 === 4) {
      await sql`update sources set county_name = ${`County ${changes}`} where source = 'kill_or'`
    } else await upsertParcels(sql, 'kill_or', rows)
  }
  const ended = (async () => {
    while (!stopped) {
      await change()
      await Bun.sleep(15)
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await ended
      return changes
    },
  }
}

test('sync and Meilisearch killed at random moments while rows change: the index matches the database, document by document', async () => {
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values ('kill_or', 'OR', 'Kill', 'pacs', 'https://example.com')
  `
  await upsertEntities(
    sql,
    'OR',
    Array.from({ length: ENTITIES }, (_, n) => ({ registryNumber: `E${n}`, name: `OWNER ${n} LLC` })),
  )
  await upsertParcels(
    sql,
    'kill_or',
    Array.from({ length: PARCELS }, (_, n) => ({ sourceParcelId: `k${n}`, ownerName: `OWNER ${n % ENTITIES} LLC` })),
  )
  let sync = startSync()
  const changing = changeRows()
  // The first kill may happen before, during or after the first build of the index.
  for (let kill = 0; kill < 2 * KILLS_OF_EACH; kill++) {
    await Bun.sleep(300 + Math.random() * 1_700)
    if (kill % 2 === 0) {
      sync.kill('SIGKILL')
      await sync.exited
      expect(sync.signalCode).toBe('SIGKILL')
      sync = startSync()
    } else {
      process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), 'SIGKILL')
      await server.exited
      server = await startServer()
    }
  }
  expect(await changing.stop()).toBeGreaterThan(100)
  await waitFor(async () => (await readMetric('search_sync_outbox_rows')) === 0)
  await waitFor(async () => (await readMetric('search_rebuild_documents_total')) === 0)
  expect(await readMetric('search_sync_lag_seconds')).toBe(0)

  const { wanted, indexed } = await readBothSides(sql, { url: server.url, masterKey: server.masterKey })
  expect(indexed.parcels.length).toBeGreaterThan(PARCELS / 2)
  expect(indexed.entities.length).toBeGreaterThan(ENTITIES / 4)
  expect(indexed.parcels).toEqual(wanted.parcels)
  expect(indexed.entities).toEqual(wanted.entities)
  sync.kill('SIGTERM')
  expect(await sync.exited).toBe(0)
})
