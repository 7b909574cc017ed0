import { parseArgs } from 'node:util'
import { pino } from 'pino'
import type { Sql, Transaction } from '../../core/postgres/database'
import { describeTransient, isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import { countNoun, formatCount } from '../../core/text/count-noun'
import { isUuid } from '../../core/text/uuid'
import { findLoad, listLoads } from '../../drizzle/queries/loads/list-loads'
import { findWork } from '../../drizzle/queries/work/list-work'
import { LOAD_STATUSES, type LoadStatus } from '../../drizzle/schema/values'
import { describeVerdict } from '../loads/describe-load'
import { applyHeldLoad, discardLoad, undoCause } from '../orders/order-on-load'
import { createLoadRunner } from '../work/load-runner'
import { takeWork } from '../work/take-work'
import { runCommand, UsageError } from './command/command'
import { LIST_OPTIONS, type ListOptions, readListOptions } from './command/list-options'
import { readAction } from './command/read-action'
import { listenForStop } from './command/stop-signal'
import { ACTOR, useDatabase } from './command/use-database'

const USAGE = `bun run loads list [--status STATUS] [--source SLUG] [--limit N]   the newest loads (default 50)
bun run loads show ID      all fields of one load, and why it is held
bun run loads apply ID     apply a held load
bun run loads discard ID   discard a held load
bun run loads undo ID      undo what a load, a crawl, a scrape job or a replay changed`

const LOOK_EVERY_MS = 500

const list = async (sql: Sql, { status, source, limit }: ListOptions<LoadStatus>): Promise<void> => {
  const rows = await listLoads(sql, { status, source }, { after: null, limit })
  if (rows.length === 0) return console.log('No loads match')
  console.table(
    rows.map(({ body }) => {
      const { id, source, kind, status: now, counts, file, created_at } = JSON.parse(body)
      return {
        id,
        source,
        kind,
        status: now,
        created: created_at,
        file: file ?? '',
        inserted: counts?.inserted ?? '',
        updated: counts?.updated ?? '',
        retired: counts?.retired ?? '',
      }
    }),
  )
}

/** `cleared` are the fields that an empty value clears, which does not say that one was cleared. */
const LABELS: Readonly<Record<string, string>> = { cleared: 'empty clears' }

const noLoad = (id: string) => new ServiceError('not_found', `there is no load ${id}`)

const show = async (sql: Sql, id: string): Promise<void> => {
  const body = await findLoad(sql, id)
  if (body === null) throw noLoad(id)
  const { verdict, ...load } = JSON.parse(body)
  for (const [name, value] of Object.entries(load)) {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '')
    console.log(`${(LABELS[name] ?? name).padEnd(12)} ${text}`.trimEnd())
  }
  for (const line of verdict === null ? [] : describeVerdict(verdict)) console.log(line)
}

/** How long a command waits for a database that does not answer. */
const PATIENCE_MS = 60_000
const CONTINUES = 'a worker of the service, or the next load of the source, continues'

/** Queues the work, runs it unless a worker does, and waits until it ends. The queued work survives a restart of the database, so the command waits for it. */
const order = async (sql: Sql, begin: (tx: Transaction) => Promise<string>): Promise<Record<string, unknown>> => {
  const id = (await sql.begin(begin)) as string
  const log = pino({ level: 'silent' })
  const signal = listenForStop()
  let awaySince: number | null = null
  while (!signal.aborted) {
    try {
      await takeWork({ sql, runner: createLoadRunner({ log }), log }, { id, signal })
      const work = JSON.parse((await findWork(sql, id)) ?? '{}')
      awaySince = null
      if (work.status === 'done') return work.result
      if (work.status === 'error') throw new ServiceError('cancelled', `${work.error_code}: ${work.error_message}`)
    } catch (error) {
      if (!isTransient(error)) throw error
      const problem = describeTransient(error)
      if (awaySince === null) console.error(`${problem}: waiting for it`)
      awaySince ??= performance.now()
      if (performance.now() - awaySince > PATIENCE_MS)
        throw new ServiceError('server_unavailable', `${problem}: ${CONTINUES}`, { cause: error })
    }
    await Bun.sleep(LOOK_EVERY_MS)
  }
  throw new ServiceError('cancelled', `stopped: ${CONTINUES}`)
}

const describeUndo = (result: Record<string, unknown>): string => {
  const { restored, retired, kept, kept_first } = result as {
    restored: number
    retired: number
    kept: number
    kept_first: { source_parcel_id: string; fields: string[] }[]
  }
  return [
    `${countNoun(restored, 'parcel')} restored, ${formatCount(retired)} retired, ${formatCount(kept)} with newer changes that were left`,
    ...kept_first.map(({ source_parcel_id, fields }) => `  ${source_parcel_id}: ${fields.join(', ')}`),
  ].join('\n')
}

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...LIST_OPTIONS,
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const actions = { list: '', show: 'ID', apply: 'ID', discard: 'ID', undo: 'ID' }
  const { action, given } = readAction(positionals, actions, USAGE)
  const [id = ''] = given
  if (action !== 'list' && !isUuid(id))
    throw new UsageError(`ID must be the id of a load, as \`loads list\` shows it, not "${id}"`, USAGE)
  const filter = readListOptions(values, LOAD_STATUSES)
  await useDatabase({ applicationName: 'loads', max: 2 }, async (sql) => {
    if (action === 'list') await list(sql, filter)
    else if (action === 'show') await show(sql, id)
    else if (action !== 'undo' && (await findLoad(sql, id)) === null) throw noLoad(id)
    else if (action === 'apply') {
      await order(sql, (tx) => applyHeldLoad(tx, id, ACTOR))
      console.log(`Load ${id} is applied.`)
    } else if (action === 'discard') {
      await sql.begin((tx) => discardLoad(tx, id, ACTOR))
      console.log(`Load ${id} is discarded.`)
    } else console.log(describeUndo(await order(sql, (tx) => undoCause(tx, id, ACTOR))))
  })
})
