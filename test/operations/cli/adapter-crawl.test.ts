import { expect, test } from 'bun:test'
import { startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { LAYER, startLayer } from '../../adapters/crawl/layer'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countParcels, insertLayerSource, lastFullScrapeOf, latestCrawl } from '../../work/crawls/crawl-rows'

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'arcgis-rest', 2)

const start = (...args: string[]) =>
  Bun.spawn(commandOf('src/cli/adapter.ts', 'crawl', ...args), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: '', ALLOW_PRIVATE_SOURCES: '1' },
  })
const endOf = async (command: ReturnType<typeof start>) => {
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}

test('a source is crawled from the command line; after Ctrl-C, the same command continues', async () => {
  const layer = startLayer({
    ids: [1, 2, 3, 4, 5, 6, 7, 8],
    attributes: (id) => ({ PIN: id === 8 ? null : `P-${id}`, OWNER: 'ROSE' }),
  })
  await insertLayerSource(sql, 'elm', layer.url + LAYER)
  const first = start('elm')
  await waitFor(async () => (await countParcels(sql, 'elm')) > 0)
  first.kill('SIGINT')
  expect(await endOf(first)).toMatchObject({
    code: 130,
    err: expect.stringContaining('elm: crawl will continue later. '),
  })
  expect(await latestCrawl(sql, 'elm')).toMatchObject({ status: 'queued', attempts: 1 })
  expect(await lastFullScrapeOf(sql, 'elm')).toBeNull()

  const { code, err } = await endOf(start('elm'))
  expect({ code, err: err.trim().split('\n') }).toEqual({
    code: 0,
    err: ['elm: crawl complete. 3 pages: 7 new parcels, 0 changed, 0 unchanged, 1 rejected', 'OID_1 8: PIN is empty'],
  })
  expect(await lastFullScrapeOf(sql, 'elm')).not.toBeNull()
})

test('a crawl that would change too much exits with code 3, and says why and how to apply it', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => index)
  await insertLayerSource(sql, 'oak', startLayer({ ids, maxRecordCount: 30 }).url + LAYER)
  expect((await endOf(start('oak'))).code).toBe(0)
  const half = startLayer({ ids: ids.slice(15), maxRecordCount: 30 })
  await sql`update sources set base_url = ${half.url + LAYER} where source = 'oak'`
  const { code, err } = await endOf(start('oak'))
  const { id } = await latestCrawl(sql, 'oak')
  expect(code).toBe(3)
  expect(err).toContain('oak: crawl complete, but held. 1 page: 0 new parcels, 0 changed, 15 unchanged, 0 rejected\n')
  expect(err).toContain(
    `the load ${id} is held, and nothing of it is visible:\nit would retire 15 parcels (50%; the limit is 5%)\n`,
  )
  expect(err).toContain(`to apply it: bun run loads apply ${id}\n`)
})

test('a source that cannot be crawled is an error, and a crawl can be cancelled', async () => {
  await insertSource(sql, 'pages', 'pacs-property-access')
  expect(await endOf(start('pages'))).toMatchObject({
    code: 1,
    err: 'pages cannot be crawled, because its vendor is pacs-property-access; these vendors support crawls: arcgis-rest, socrata-soda\n',
  })
  expect(await endOf(start('nowhere'))).toMatchObject({ code: 1, err: 'unknown source: nowhere\n' })
  await insertLayerSource(sql, 'birch', 'https://gis.example/arcgis/rest/services/Parcels/MapServer/0')
  await startCrawl(sql, 'birch', 'operator')
  expect(await endOf(start('birch', '--cancel'))).toMatchObject({
    code: 0,
    out: 'The crawl of birch is cancelled.\n',
  })
  expect(await latestCrawl(sql, 'birch')).toMatchObject({ status: 'error', error_message: 'cancelled by operator' })
})
