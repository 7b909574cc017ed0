import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { askService } from './rivals'
import { type BenchServers, loadRawIndexes, startService } from './servers'
import { type CountyOptions, check, drawMix, prepareCounty, sampleRoll } from './speed'
import { percentile } from './statistics'

const GOALS = { ratio: 1.3, memoryMb: 300 }
const SEARCH_EVERY_MS = 100

/** The peak memory of a process, in MB (Linux). */
const readPeakMemory = (pid: number): number => {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/**
 * Compares `bun run search:reindex` with loading the same rows into raw Meilisearch, one after the other on the same server. The service
 * is searched during the rebuild. Prints a table and returns the missed goals.
 */
export const measureReindex = async (servers: BenchServers, { parcels, seed }: CountyOptions): Promise<string[]> => {
  await prepareCounty(servers, parcels)
  const items = drawMix(await sampleRoll(servers.sql), seed)
  const service = await startService(servers)
  const ask = askService(service, () => 'parcels,entities')
  try {
    const { durationMs: rawMs } = await whileSearching(async () => loadRawIndexes(servers))
    let peakMb = 0
    const ours = await whileSearching(async () => {
      const startedAt = performance.now()
      const child = Bun.spawn(['bun', 'src/cli/reindex.ts'], {
        cwd: resolve(import.meta.dir, '../../..'),
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...process.env,
          DATABASE_URL: servers.databaseUrl,
          MEILI_URL: servers.meili.url,
          MEILI_MASTER_KEY: servers.meili.masterKey ?? '',
        },
      })
      const watch = setInterval(() => {
        if (child.exitCode === null) peakMb = Math.max(peakMb, readPeakMemory(child.pid))
      }, 200)
      const code = await child.exited
      clearInterval(watch)
      if (code !== 0) throw new Error(`search:reindex ended with code ${code}`)
      return performance.now() - startedAt
    })
    console.log(`\nReindex: ${parcels} parcels, one search every ${SEARCH_EVERY_MS} ms\n`)
    console.log(`| | seconds |\n|---|---|\n| raw Meilisearch | ${(rawMs / 1e3).toFixed(1)} |`)
    console.log(`| ours | ${(ours.durationMs / 1e3).toFixed(1)} |`)
    console.log(`\nsearches during ours: ${ours.searches}, p95 ${ours.p95.toFixed(0)} ms, degraded ${ours.degraded}`)
    return check([
      ['reindex against raw Meilisearch', ours.durationMs / rawMs, '≤', GOALS.ratio],
      ['failed searches during the rebuild', ours.failed, '≤', 0],
      ['memory of the sync process, MB', peakMb, '≤', GOALS.memoryMb],
    ])
  } finally {
    await service.stop()
  }

  async function whileSearching(work: () => Promise<number>) {
    const times: number[] = []
    let isOver = false
    let failed = 0
    const searching = (async () => {
      for (let index = 0; !isOver; index = (index + 1) % items.length) {
        const startedAt = performance.now()
        const item = items[index]
        if (item !== undefined) await ask(item, 20).catch(() => failed++)
        times.push(performance.now() - startedAt)
        await Bun.sleep(SEARCH_EVERY_MS)
      }
    })()
    const durationMs = await work().finally(() => {
      isOver = true
    })
    await searching
    return {
      durationMs,
      failed,
      searches: times.length,
      p95: percentile(times, 0.95),
      degraded: service.countDegraded(),
    }
  }
}
