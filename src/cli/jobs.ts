import { parseArgs } from 'node:util'
import type { Sql } from '../../core/postgres/database'
import { isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import { formatCount } from '../../core/text/count-noun'
import { isUuid } from '../../core/text/uuid'
import { listVendorQueues, type VendorQueue } from '../../drizzle/queries/jobs/dispatch/list-vendor-queues'
import { retryJob } from '../../drizzle/queries/jobs/order/retry-job'
import { cancelJob, findJob, listJobs } from '../../drizzle/queries/jobs/scrape-jobs'
import { JOB_STATUSES, type JobStatus } from '../../drizzle/schema/values'
import { runCommand, UsageError } from './command/command'
import { LIST_OPTIONS, type ListOptions, readListOptions } from './command/list-options'
import { readAction } from './command/read-action'
import { ACTOR, useDatabase } from './command/use-database'

const USAGE = `bun run jobs list [--status STATUS] [--source SLUG] [--limit N]   the newest jobs (default 50)
bun run jobs show ID      all fields of one job
bun run jobs retry ID     scrape the parcel of a finished job again
bun run jobs cancel ID    cancel a queued or running job
bun run jobs watch        queues by vendor, every second, until you press Ctrl-C`

const WATCH_EVERY_MS = 1_000

const list = async (sql: Sql, { status, source, limit }: ListOptions<JobStatus>): Promise<void> => {
  const rows = await listJobs(sql, { status: status ?? null, source: source ?? null, after: null, limit })
  if (rows.length === 0) return console.log('No jobs match')
  console.table(
    rows.map(({ body }) => {
      const job = JSON.parse(body)
      return {
        id: job.id,
        source: job.source,
        parcel: job.source_parcel_id,
        status: job.status,
        attempts: job.attempts,
        created: job.created_at,
        error: job.error_message?.slice(0, 60) ?? '',
      }
    }),
  )
}

const show = async (sql: Sql, id: string): Promise<void> => {
  const job = await findJob(sql, id)
  if (job === null) throw new ServiceError('not_found', `there is no job ${id}`)
  for (const [name, value] of Object.entries(JSON.parse(job)))
    console.log(`${name.padEnd(17)} ${value ?? ''}`.trimEnd())
}

const retry = async (sql: Sql, id: string): Promise<void> => {
  const queued = await retryJob(sql, id, { name: ACTOR, watcher: null })
  if (queued === null) throw new ServiceError('not_found', `there is no finished job ${id}`)
  console.log(`Job ${queued} is queued.`)
}

const cancel = async (sql: Sql, id: string): Promise<void> => {
  const job = await cancelJob(sql, id, `cancelled by ${ACTOR}`)
  if (job === null) throw new ServiceError('not_found', `there is no queued or running job ${id}`)
  console.log(`Job ${id} is cancelled.`)
}

const COLUMNS: [title: string, field: Exclude<keyof VendorQueue, 'vendor'>][] = [
  ['queued', 'queued'],
  ['running', 'running'],
  ['target', 'target'],
  ['done/min', 'donePerMinute'],
  ['errors/min', 'errorsPerMinute'],
]

/** The queues as a table for a terminal. */
const drawQueues = (queues: readonly VendorQueue[], at: Date): string[] => [
  `${'vendor'.padEnd(28)}${COLUMNS.map(([title]) => title.padStart(12)).join('')}`,
  ...queues.map(
    (queue) =>
      `${queue.vendor.padEnd(28)}${COLUMNS.map(([, field]) => formatCount(queue[field]).padStart(12)).join('')}`,
  ),
  ...(queues.length === 0 ? ['no jobs'] : []),
  '',
  `${at.toISOString()}  Ctrl-C ends`,
]

/** One queue as a line of a log. */
const describeQueue = (queue: VendorQueue, at: Date): string =>
  `${at.toISOString()} ${queue.vendor} ${COLUMNS.map(([title, field]) => `${title}=${queue[field]}`).join(' ')}`

const watch = async (sql: Sql): Promise<void> => {
  let isStopped = false
  const stop = Promise.withResolvers<void>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isStopped = true
      stop.resolve()
    })
  }
  const isTerminal = process.stdout.isTTY === true
  while (!isStopped) {
    try {
      const queues = await listVendorQueues(sql)
      const now = new Date()
      // Overwrite line by line instead of clearing the screen, so that it does not flicker.
      if (isTerminal) process.stdout.write(`\x1b[H${drawQueues(queues, now).join('\x1b[K\n')}\x1b[K\n\x1b[J`)
      else for (const queue of queues) console.log(describeQueue(queue, now))
    } catch (error) {
      if (!isTransient(error)) throw error
      console.error('the database is down or busy; retrying')
    }
    await Promise.race([stop.promise, Bun.sleep(WATCH_EVERY_MS)])
  }
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
  const actions = { list: '', show: 'ID', retry: 'ID', cancel: 'ID', watch: '' }
  const { action, given } = readAction(positionals, actions, USAGE)
  const [id = ''] = given
  if (actions[action] === 'ID' && !isUuid(id))
    throw new UsageError(`ID must be the id of a job, as \`jobs list\` shows it, not "${id}"`, USAGE)
  const filter = readListOptions(values, JOB_STATUSES)
  await useDatabase({ applicationName: 'jobs' }, async (sql) => {
    if (action === 'list') await list(sql, filter)
    else if (action === 'show') await show(sql, id)
    else if (action === 'retry') await retry(sql, id)
    else if (action === 'cancel') await cancel(sql, id)
    else await watch(sql)
  })
})
