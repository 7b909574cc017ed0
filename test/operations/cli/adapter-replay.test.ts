import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAdapter } from '../../../adapters/registry'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { replay } from '../../../dev/adapter-cases/replay'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createPageKeeper } from '../../../src/scrape/pages/keep-pages'
import { createPageStore } from '../../../src/scrape/pages/page-store'
import { review } from '../../../src/scrape/review/review'
import { storeScrape } from '../../../src/scrape/store/store-scrape'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

const { url, sql } = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'pages-'))
afterAll(() => rmSync(folder, { recursive: true }))
const VENDOR = 'pacs-property-access'
await insertVendor(sql, VENDOR, 2)
await insertSource(sql, 'elm', VENDOR)

const run = async (...args: string[]) => {
  const command = Bun.spawn(commandOf('src/cli/adapter.ts', 'replay', ...args), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: '', PAGES_URL: folder },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}

test('kept pages of a vendor are read in reader processes; the differences are printed, and stored with --apply', async () => {
  const one = listCases(VENDOR).find(({ name }) => name === 'full')
  if (one === undefined) throw new Error(`${VENDOR} has no full case`)
  const { sourceParcelId, baseUrl } = one.target
  await sql`update sources set base_url = ${baseUrl}, vendor_config = ${sql.json((one.config ?? {}) as never)} where source = 'elm'`
  const keeper = createPageKeeper({ sql, store: createPageStore(folder), maxBytes: 1024 ** 3 })
  const scrapeParcel = createScrapeParcel({
    ...{ sql, keeper, findAdapter },
    createContext: (_, signal) => ({ http: replay(one), openPage: null, signal }),
  })
  const request = { source: 'elm', sourceParcelId, overrides: one.target.overrides ?? {} }
  const brought = await scrapeParcel(request, { signal: AbortSignal.timeout(20_000) })
  await storeScrape(sql, { review, job: null, ...request, ...brought })
  await keeper.stop()

  const same = await run('elm', '--apply')
  expect({ code: same.code, err: same.err.trim() }).toEqual({ code: 0, err: 'elm: 1 parcel with kept pages' })
  expect(same.out).toContain('1 page read\n')
  expect(same.out).toContain('0 parcels changed\n')
  expect((await run('elm')).out).toContain('There is nothing to store.')

  // As if an earlier adapter had read another owner.
  const pageAt = brought.kept?.fetchedAt ?? ''
  await sql`update parcels set owner_name = 'WRONG', origin = ${sql.json({ adapter: VENDOR, page_at: pageAt })} where source = 'elm'`
  await sql`update parcel_changes set origin = ${sql.json({ page_at: pageAt })} where source = 'elm'`
  const dry = await run('elm', '--parcel', sourceParcelId)
  expect(dry.out).toContain('owner_name: 1\n')
  expect(dry.out).toContain('former  "WRONG"\n')
  expect(dry.out).toContain('Nothing was stored.')
  expect((await sql`select owner_name from parcels where source = 'elm'`)[0]?.owner_name).toBe('WRONG')
  const applied = await run('elm', '--apply')
  expect(applied.out).toContain('To undo it: bun run loads undo ')
  expect((await sql`select owner_name from parcels where source = 'elm'`)[0]?.owner_name).not.toBe('WRONG')
})

test('a missing or unknown source, and a wrong time, are refused in one line', async () => {
  expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('SOURCE is missing') })
  expect(await run('nowhere')).toMatchObject({ code: 1, err: expect.stringContaining('unknown source: nowhere') })
  expect(await run('elm', '--since', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining('--since') })
})
