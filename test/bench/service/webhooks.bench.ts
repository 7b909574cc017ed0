import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../../../core/postgres/database'
import { migrate } from '../../../drizzle/migrate'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { insertSource } from '../../jobs/job-rows'
import { describeTrial, runWebhookTrial } from '../../watches/webhook-trial'
import { atLeast, atMost, type Goal, report } from '../report'

/*
 * bun run bench webhooks [--deliveries 10000]
 *
 * Sends webhooks to four receivers: one that works, one that fails, one that hangs, and one that is killed twice. The sender is killed
 * five times. Goals: each is delivered at least once, in order per parcel, none is lost, and duplicates have the same id. Exits with
 * code 1 when a goal is missed.
 */
const { values: options } = parseArgs({ options: { deliveries: { type: 'string', default: '10000' } } })
const ROUNDS = 10
const RECEIVERS = 4
const SENDER_KILLS = 5
const parcels = Math.ceil(Number(options.deliveries) / ROUNDS / RECEIVERS)

const dir = mkdtempSync(join(tmpdir(), 'bench-webhooks-'))
const postgres = await startPostgres(join(dir, 'postgres'))
let failed = false
const judge = (title: string, measured: string, goal: Goal): void => {
  failed ||= !goal.met
  console.log(`${title}: ${measured}, ${goal.text}: ${goal.met ? 'met' : 'MISSED'}`)
  report({ bench: 'webhooks', title, measured, goal })
}
try {
  await migrate(postgres.url)
  const sql = connectDatabase(postgres.url, { max: 4 })
  await insertSource(sql, 'bench', 'arcgis-rest')
  const trial = await runWebhookTrial(
    { sql, url: postgres.url, source: 'bench' },
    { parcels, rounds: ROUNDS, senderKills: SENDER_KILLS, timeoutMs: 600_000 },
  )
  await sql.end()
  console.log(describeTrial(trial))
  const { expected } = trial
  judge('changes that receivers took', `${trial.taken} of ${expected}`, atLeast(trial.taken, expected))
  judge('changes lost', String(trial.lost), atMost(trial.lost, 0))
  judge('changes out of order', String(trial.disordered), atMost(trial.disordered, 0))
  judge('changes with two ids', String(trial.secondIds), atMost(trial.secondIds, 0))
  judge('wrong signatures', String(trial.refused), atMost(trial.refused, 0))
  judge('kills of the sender', String(trial.senderKills), atLeast(trial.senderKills, SENDER_KILLS))
} finally {
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
