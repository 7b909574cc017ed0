import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { insertVendor } from '../../jobs/job-rows'
import { insertLayerSource, latestCrawl } from '../../work/crawls/crawl-rows'
import { report } from '../report'

/*
 * bun run bench crawl [--parcels 100000] [--page 1000]
 *
 * Measures the parcels per second of a first crawl (all new) and a second one (nothing changed), and the peak memory of the crawling
 * process. Requests run without a pause between them. On a real portal each page takes at least half a second.
 */
const { values: options } = parseArgs({
  options: { parcels: { type: 'string', default: '100000' }, page: { type: 'string', default: '1000' } },
})
const PARCELS = Number(options.parcels)

const dir = mkdtempSync(join(tmpdir(), 'bench-crawl-'))
const postgres = await startPostgres(join(dir, 'postgres'))
await migrate(postgres.url)
const sql = connectDatabase(postgres.url, { max: 2 })
await insertVendor(sql, 'arcgis-rest', 2)

const layer = Bun.spawn(['bun', 'test/bench/load/layer-server.ts', options.parcels, options.page], { stdout: 'pipe' })
const { value } = await layer.stdout.getReader().read()
await insertLayerSource(sql, 'bench', `${new TextDecoder().decode(value).trim()}/layer/FeatureServer/0`)
const crawler = Bun.spawn(['bun', 'test/work/crawls/crawler-process.ts', postgres.url, '10000'], { stderr: 'inherit' })

const peakMb = (): number => {
  const status = readFileSync(`/proc/${crawler.pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}

try {
  for (const what of ['all new', 'nothing changed']) {
    const startedAt = performance.now()
    await startCrawl(sql, 'bench', 'bench')
    let crawl = await latestCrawl(sql, 'bench')
    while (crawl.status === 'queued' || crawl.status === 'running') {
      await Bun.sleep(50)
      crawl = await latestCrawl(sql, 'bench')
    }
    const seconds = (performance.now() - startedAt) / 1000
    console.log(
      `${what}: ${PARCELS.toLocaleString('en-US')} parcels in ${seconds.toFixed(1)} s, ${Math.round(PARCELS / seconds).toLocaleString('en-US')}/s; ${crawl.status}, ${crawl.inserted} new, ${crawl.updated} changed, ${crawl.unchanged} unchanged, ${crawl.rejected} rejected; at most ${peakMb()} MB`,
    )
    report({
      bench: 'crawl',
      title: `${what}, ${PARCELS} parcels`,
      measured: `${Math.round(PARCELS / seconds)} parcels/s, ${peakMb()} MB`,
    })
  }
} finally {
  crawler.kill('SIGKILL')
  layer.kill('SIGKILL')
  await Promise.all([crawler.exited, layer.exited])
  await sql.end({ timeout: 1 })
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}
