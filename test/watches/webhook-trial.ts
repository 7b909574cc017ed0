import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from '../../core/postgres/database'
import { findFreePort } from '../../src/operations/embedded/child'
import { addWatch } from '../../src/watches/change-watch'
import { commandOf } from '../runner/programs'

/** What happened to the webhooks of a trial. */
export interface TrialReport {
  /** Number of deliveries: one for each change and watch. */
  expected: number
  /** Deliveries that have the status `delivered` in the database. */
  delivered: number
  /** Different ids that receivers took. */
  taken: number
  /** Changes that no receiver took. */
  lost: number
  /** Requests with an id that the receiver had taken before. */
  duplicates: number
  /** Changes that arrived under two ids. */
  secondIds: number
  /** Changes of a parcel that first arrived after a later one. */
  disordered: number
  /** Requests with a wrong signature. */
  refused: number
  /** Times that requests failed, as the sender saw them. */
  failures: number
  senderKills: number
  receiverKills: number
  seconds: number
}

const MODES = ['well', 'fails', 'hangs', 'killed'] as const

/**
 * Changes `parcels` parcels `rounds` times. Four watches match each change, with a receiver each: one that works, one that fails at times,
 * one that hangs at times, and one that is killed twice. The sender is killed `senderKills` times, at even shares of the requests.
 * Returns when all deliveries have ended. The source has no other parcels or watches.
 */
export const runWebhookTrial = async (
  { sql, url, source }: { sql: Sql; url: string; source: string },
  {
    parcels,
    rounds,
    senderKills,
    timeoutMs,
  }: { parcels: number; rounds: number; senderKills: number; timeoutMs: number },
): Promise<TrialReport> => {
  const dir = mkdtempSync(join(tmpdir(), 'webhooks-'))
  const children = new Set<Bun.Subprocess>()
  const start = async (command: string[]) => {
    const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.add(child)
    await child.stdout.getReader().read()
    return child
  }
  const kill = async (child: Bun.Subprocess) => {
    child.kill('SIGKILL')
    await child.exited
    children.delete(child)
  }
  try {
    await sql`
      insert into parcels (source, source_parcel_id, acreage) select ${source}, n::text, 0 from generate_series(1, ${parcels}::int) n`
    const receivers = await Promise.all(
      MODES.map(async (mode) => {
        const port = await findFreePort()
        const owner = { owner: crypto.randomUUID(), accountId: null, keyHash: null, createdBy: 'trial' }
        const webhook_url = `http://127.0.0.1:${port}/hook`
        const { id, secret } = (await sql.begin((tx) =>
          addWatch(tx, owner, { kind: 'source', source, webhook_url }, { allowPrivate: true }),
        )) as { id: string; secret: string }
        const log = join(dir, mode)
        const command = commandOf('test/watches/receiver-process.ts', String(port), mode, log, secret)
        return { mode, id, log, command, child: await start(command) }
      }),
    )
    const linesOf = (log: string) => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [])
    const countLines = () => receivers.reduce((sum, { log }) => sum + linesOf(log).length, 0)
    const expected = parcels * rounds * receivers.length
    const startedAt = performance.now()
    let sender = await start(commandOf('test/watches/sender-process.ts', url))
    const killed = receivers.find(({ mode }) => mode === 'killed') as (typeof receivers)[number]
    const kills = { sender: 0, receiver: 0 }

    const change = async () => {
      for (let round = 1; round <= rounds; round++) {
        // Three writers. Some of their transactions roll back.
        await Promise.all(
          [0, 1, 2].map((part) =>
            sql.begin(async (tx) => {
              await tx`
                  update parcels set acreage = ${round} where source = ${source} and source_parcel_id::int % 3 = ${part}`
              if (part === round % 4) {
                await tx
                  .savepoint(async (inner) => {
                    await inner`update parcels set acreage = -1 where source = ${source} and source_parcel_id = '1'`
                    throw new Error('rolled back')
                  })
                  .catch(() => {})
              }
            }),
          ),
        )
      }
    }
    const countLeft = async () => {
      const [row] = await sql<{ left: number; stored: number }[]>`
        select count(*) filter (where status = 'pending')::int as left, count(*)::int as stored from webhook_deliveries`
      return row?.stored === expected ? row.left : expected
    }
    const disturb = async () => {
      while ((await countLeft()) > 0) {
        if (performance.now() - startedAt > timeoutMs) throw new Error(`${await countLeft()} of ${expected} are left`)
        const share = countLines() / expected
        if (kills.sender < senderKills && share > (kills.sender + 0.5) / (senderKills + 1)) {
          kills.sender++
          await kill(sender)
          sender = await start(commandOf('test/watches/sender-process.ts', url))
        }
        if (kills.receiver < 2 && share > (kills.receiver + 1) / 3) {
          kills.receiver++
          await kill(killed.child)
          await Bun.sleep(500)
          killed.child = await start(killed.command)
        }
        await Bun.sleep(20)
      }
    }
    await Promise.all([change(), disturb()])
    const seconds = (performance.now() - startedAt) / 1_000

    const log = await sql<{ version: number; parcel: string }[]>`
      select version::float8 as version, source_parcel_id as parcel from parcel_changes
      where source = ${source} and action = 'changed' order by version`
    const totals = { taken: 0, lost: 0, duplicates: 0, secondIds: 0, disordered: 0, refused: 0 }
    for (const { log: file } of receivers) {
      const lines = linesOf(file).map((line) => line.split(' '))
      totals.refused += lines.filter(([id]) => id === 'refused').length
      const taken = lines.filter(([id]) => id !== 'refused')
      const idOf = new Map<number, string>()
      const lastOf = new Map<string, number>()
      for (const [id = '', parcel = '', text = ''] of taken) {
        const version = Number(text)
        const known = idOf.get(version)
        if (known !== undefined) {
          if (known === id) totals.duplicates++
          else totals.secondIds++
          continue
        }
        idOf.set(version, id)
        if ((lastOf.get(parcel) ?? 0) > version) totals.disordered++
        lastOf.set(parcel, version)
      }
      totals.taken += new Set(idOf.values()).size
      totals.lost += log.filter(({ version }) => !idOf.has(version)).length
    }
    const [row] = await sql<{ delivered: number; failures: number }[]>`
      select count(*) filter (where status = 'delivered')::int as delivered, sum(attempts - 1)::int as failures
      from webhook_deliveries`
    if (log.length * receivers.length !== expected) throw new Error(`the log has ${log.length} changes`)
    return {
      ...{ expected, delivered: row?.delivered ?? 0, failures: row?.failures ?? 0, ...totals },
      ...{ senderKills: kills.sender, receiverKills: kills.receiver, seconds },
    }
  } finally {
    for (const child of [...children]) await kill(child)
    rmSync(dir, { recursive: true, force: true })
  }
}

export const describeTrial = (report: TrialReport): string =>
  Object.entries(report)
    .map(([name, value]) => `${name} ${Number(value.toFixed(1))}`)
    .join(', ')
