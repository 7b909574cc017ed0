import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand, UsageError } from '../../../src/cli/command/command'
import type { Role } from '../../../src/roles/role'
import { audit, type Verdict, waitUntilIndexed, waitUntilQuiet } from './audit'
import { injectFaults, planFaults } from './faults'
import { ADMIN_KEY, startLoad } from './load'
import { judgeMemory, watchMemory } from './memory'
import { takeNotes } from './notes'
import { createRoleProcess } from './role-process'
import { startServers } from './servers'
import { printTable } from './table'
import { createWitness } from './witness'

/*
 * bun run soak [--minutes 10] [--keep]
 *
 * Runs several processes of each role on real servers, with a replica of the database and three instances of Meilisearch, mixed load over
 * loopback and every fault in turn, then an audit. Exits
 * with code 1 if anything failed. The logs are kept after a failure, or with --keep.
 */
const ROLES: [name: string, role: Role][] = [
  ['api-1', 'api'],
  ['api-2', 'api'],
  ['api-3', 'api'],
  ['sync-1', 'sync'],
  ['sync-2', 'sync'],
  ['worker-1', 'worker'],
  ['worker-2', 'worker'],
  ['worker-3', 'worker'],
  ['scheduler-1', 'scheduler'],
  ['scheduler-2', 'scheduler'],
  ['tiles-1', 'tiles'],
  ['tiles-2', 'tiles'],
]
const STATUS_EVERY_MS = 10_000
/** Nothing is broken before the first fault and after the last one, for this share of the run, but no longer than the memory check needs. */
const CALM_SHARE = 0.12
const MAX_CALM_MS = 75_000
const MAX_AWAY_MS = 15_000
/** Faults beside the kill of each role and the stop of each Meilisearch. */
const OTHER_FAULTS = 7
/** Unreliable portals. */
const PORTAL = { errorRate: 0.02, latencyMs: 20 }

const soak = async (minutes: number, keep: boolean): Promise<boolean> => {
  const startedAt = performance.now()
  const say = (line: string) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    console.log(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}  ${line}`)
  }
  const witness = createWitness()
  const servers = await startServers('soak', { isSpread: true })
  const { dir, sql } = servers
  const env = {
    DATABASE_URL: servers.databaseUrl,
    MEILI_URLS: servers.meilis
      .map(({ url, states }) => `${url}=${states.isExcept ? '*' : states.codes.join(',')}`)
      .join(' '),
    MEILI_MASTER_KEY: servers.meili.masterKey,
    ...(servers.replica !== null && { DATABASE_READ_URLS: servers.replica.url }),
    REDIS_URL: servers.redisUrl,
    TILES_URL: `${dir}/tiles`,
    HOST: '127.0.0.1',
    ALLOW_PRIVATE_SOURCES: '1',
    LOG_LEVEL: 'info',
    SERVICE_API_KEYS: JSON.stringify({ [ADMIN_KEY]: { capabilities: ['admin'] } }),
  }
  const roles = await Promise.all(
    ROLES.map(([name, role]) => createRoleProcess(name, role, { dir, env, onDeath: (what) => witness.violate(what) })),
  )
  let passed = false
  try {
    await takeNotes(sql)
    for (const portal of servers.portals) portal.setTraffic(PORTAL)
    await Promise.all(roles.map((role) => role.start()))
    await waitUntilIndexed(servers, roles)
    say(`${roles.length} processes are ready; logs in ${dir}`)

    const runMs = minutes * 60_000
    const calmMs = Math.min(MAX_CALM_MS, runMs * CALM_SHARE)
    const memory = watchMemory(roles, join(dir, 'memory.csv'))
    const load = startLoad(
      servers,
      roles.filter(({ url }) => url !== null),
      witness,
    )
    const loadedAt = performance.now()
    const status = setInterval(() => void sayStatus().catch(() => {}), STATUS_EVERY_MS)
    const sayStatus = async () => {
      const { perSecond, p95 } = witness.takeRate()
      const [row] = await sql<{ queued: number; running: number; outbox: number }[]>`
        select count(*) filter (where status = 'queued')::int as queued, count(*) filter (where status = 'running')::int as running,
          (select count(*)::int from search_outbox) as outbox from scrape_jobs where status in ('queued', 'running')`
      say(
        `${perSecond.toFixed(0)} requests/s, p95 ${p95.toFixed(0)} ms; jobs ${row?.queued} queued, ${row?.running} running; ` +
          `${row?.outbox} changes to index; ${witness.violations().length} kinds of failure`,
      )
    }

    await Bun.sleep(calmMs)
    const everyMs = (runMs - 2 * calmMs) / (roles.length + servers.meilis.length + OTHER_FAULTS)
    const plans = planFaults(servers, roles, load, {
      lastsMs: Math.round(Math.min(MAX_AWAY_MS, everyMs / 2) / 1_000) * 1_000,
      jobs: Math.min(5_000, Math.round(minutes * 500)),
    })
    await injectFaults(plans, witness, { everyMs, say })
    await Bun.sleep(Math.max(0, loadedAt + runMs - performance.now()))
    memory.markEnd()
    clearInterval(status)
    say('the load ends')
    await load.stop()
    for (const portal of servers.portals) portal.setTraffic({ errorRate: 0, latencyMs: 0 })
    const left = await waitUntilQuiet(servers, say)
    say('audit')
    const verdicts: Verdict[] = [
      ...(left === null ? [] : [{ check: 'all work is done', passed: false, detail: left }]),
      ...(await audit(servers, roles, load)),
      ...judgeMemory(memory),
      ...witness.violations().map(({ what, count, examples }) => ({
        check: what,
        passed: false,
        detail: `${count} times; ${examples.slice(0, 3).join(' | ')}`,
      })),
    ]
    passed = verdicts.every((one) => one.passed)
    printTable(witness, verdicts)
  } finally {
    await Promise.all(roles.map((role) => role.kill(passed ? 'SIGTERM' : 'SIGKILL')))
    await servers.stop({ keep: keep || !passed })
  }
  console.log(passed ? '\nall checks passed' : `\nsomething failed; logs in ${dir}`)
  return passed
}

await runCommand(async () => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '10' }, keep: { type: 'boolean', default: false } },
  })
  const minutes = Number(values.minutes)
  if (!(minutes >= 1)) throw new UsageError('bun run soak [--minutes N] [--keep], N at least 1')
  if (!(await soak(minutes, values.keep))) process.exitCode = 1
})
