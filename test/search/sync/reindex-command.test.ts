import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearchSync } from '../../../search/sync/sync'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, waitFor } from '../../support/servers'
import { startMeilisearchProxy } from '../meilisearch-proxy'

/* `bun run search:reindex` beside a running role `sync`, and without Meilisearch. */

const { url, sql } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'reindex-'))
const server = await startMeilisearch(dir)
if (server === null) throw new Error('there is no Meilisearch for this platform')
const meili = { url: server.url, masterKey: server.masterKey }

let held: PromiseWithResolvers<void> | null = null
let heldBack = 0
const proxy = startMeilisearchProxy(() => meili.url, {
  hold: async ({ url, method }) => {
    if (held === null || method !== 'POST' || !url.includes('/documents')) return
    heldBack++
    await held.promise
  },
})
const sync = createSearchSync({ databaseUrl: url, meili })

const children: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL')
    await child.exited
  }
  await sync.stop()
  await proxy.stop()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

const startReindex = (meiliUrl: string) => {
  const child = Bun.spawn(commandOf('src/cli/reindex.ts'), {
    stdout: 'ignore',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: meiliUrl, MEILI_MASTER_KEY: meili.masterKey },
  })
  children.push(child)
  return child
}

await sql`
  insert into sources (source, state, county_name, vendor, base_url)
  values ('elm_or', 'OR', 'Elm', 'pacs', 'https://example.com')`
await upsertParcels(sql, 'elm_or', [{ sourceParcelId: 'p1', ownerName: 'HOLLIS JUNE' }])

test('a rebuild that was frozen takes the lead back from the role sync, and completes', async () => {
  sync.start()
  await waitFor(async () => sync.status().leading)
  await sync.drain()
  held = Promise.withResolvers()
  const command = startReindex(proxy.url)
  await waitFor(async () => heldBack > 0)
  command.kill('SIGSTOP')
  await waitFor(async () => sync.status().leading)
  held.resolve()
  held = null
  command.kill('SIGCONT')
  expect(await command.exited).toBe(0)
}, 60_000)

test('a rebuild without Meilisearch gives up after a minute, and names the settings', async () => {
  await sync.stop()
  const command = startReindex('http://127.0.0.1:9')
  const [code, said] = await Promise.all([command.exited, new Response(command.stderr).text()])
  expect(code).toBe(1)
  expect(said.trimEnd().split('\n').at(-1)).toMatch(
    /^Request to .* has failed\. Check that Meilisearch runs, and that MEILI_URL and MEILI_MASTER_KEY are right$/,
  )
}, 120_000)
