import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createPageKeeper } from '../../../src/scrape/pages/keep-pages'
import { createPageStore } from '../../../src/scrape/pages/page-store'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { useAppInDom } from './open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

describe('the kept pages of a parcel', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const pageStore = createPageStore(folder)
  const { app, sql } = await createTestApp({ pageStore })
  const { open, find, texts } = useAppInDom(app.handle)
  await insertCounty(sql)
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'A', ownerName: 'ADA ELM' }])
  const keeper = createPageKeeper({ sql, store: pageStore, maxBytes: 1024 ** 3 })
  keeper.keep({
    ...{ source: 'elm', sourceParcelId: 'A', adapter: 'fixture', overrides: {}, failure: null },
    answers: [
      {
        ...{ name: 'property', url: 'https://portal.example/A', status: 200, headers: { 'content-type': 'text/html' } },
        asked: { method: 'GET', url: 'https://portal.example/A' },
        body: '<script>document.title = "no"</script><td>Owner</td><td>ADA ELM</td>',
      },
    ],
    answeredAt: [new Date().toISOString()],
  })
  keeper.keep({
    ...{ source: 'elm', sourceParcelId: 'A', adapter: 'fixture', overrides: {} },
    failure: {
      code: 'page_changed',
      message: 'no "Owner" on the property page',
    },
    answers: [
      {
        ...{ name: 'property', url: 'https://portal.example/A', status: 200, headers: { 'content-type': 'text/html' } },
        asked: { method: 'GET', url: 'https://portal.example/A' },
        body: 'Welcome',
      },
    ],
    answeredAt: ['2026-01-02T03:04:05.678Z'],
  })
  await keeper.stop()

  test('an admin reads a page as source text, with the values of the record marked; it is not rendered', async () => {
    await open('/app/parcels/elm/A', { key: ADMIN_KEY })
    ;(await find('button', 'Kept pages')).click()
    await find('dialog td', 'read')
    await find('dialog td .cell-note', 'no "Owner" on the property page')
    ;(await find('dialog button', 'Show')).click()
    await find('.page-source pre', '<td>Owner</td>')
    expect(texts('.page-source mark')).toEqual(['ADA ELM'])
    expect(texts('.page-source script')).toEqual([])
  })

  test('the page of a failed job shows them too, and says how to read them again', async () => {
    const [job] = await sql<{ id: string }[]>`
      insert into scrape_jobs (source, source_parcel_id, vendor, status, error_code, error_message, finished_at)
      select source, 'A', vendor, 'error', 'page_changed', 'no "Owner" on the property page', now() from sources where source = 'elm'
      returning id`
    await open(`/app/console/jobs/${job?.id}`, { key: ADMIN_KEY })
    ;(await find('button', 'Kept pages')).click()
    await find('dialog td .cell-note', 'no "Owner" on the property page')
    ;(await find('dialog tr:has(.cell-note) button', 'Show')).click()
    await find('.page-source pre', 'Welcome')
    await find('dialog code', "bun run adapter replay elm --parcel 'A'")
  })
})
