import { expect, test } from 'bun:test'
import { Registry } from 'prom-client'
import { connectDatabase } from '../../../core/postgres/database'
import { listVendorQueues } from '../../../drizzle/queries/jobs/dispatch/list-vendor-queues'
import { listVendorFigures } from '../../../drizzle/queries/jobs/dispatch/queue-figures'
import { registerQueueMetrics } from '../../../src/operations/observe/queue-metrics'
import { enqueue, insertSource, insertVendor } from '../../jobs/job-rows'
import { createTestDatabase } from '../../support/servers'

const { sql } = await createTestDatabase()
await insertVendor(sql, 'acme', 7)
await insertSource(sql, 'elm', 'acme')
await insertSource(sql, 'oak', 'acme')
const registry = new Registry()
registerQueueMetrics(registry, sql)

/** Samples of one metric, keyed by label values. */
const samples = async (name: string): Promise<Record<string, number>> => {
  const lines = (await registry.metrics()).matchAll(new RegExp(`^${name}\\{(.*)\\} (.*)$`, 'gm'))
  return Object.fromEntries(
    [...lines].map(([, labels = '', value]) => [labels.replaceAll(/\w+="([^"]*)"/g, '$1'), Number(value)]),
  )
}

test('queues are reported by vendor and state, with target and breaker; ages by state', async () => {
  expect(await samples('scrape_jobs')).toEqual({ 'acme,queued': 0, 'acme,running': 0 })
  expect(await samples('scrape_jobs_oldest_seconds')).toEqual({ queued: 0, running: 0 })

  const [first, second] = await enqueue(sql, 'elm', ['1', '2', '3'])
  await enqueue(sql, 'oak', ['1'])
  await sql`update scrape_jobs set created_at = now() - interval '90 s' where id = ${second ?? ''}`
  await sql`update scrape_jobs set status = 'running', started_at = now() - interval '30 s' where id = ${first ?? ''}`
  await sql`update vendor_concurrency set breaker_opened_at = now()`
  expect(await samples('scrape_jobs')).toEqual({ 'acme,queued': 3, 'acme,running': 1 })
  expect(await samples('scrape_concurrency_target')).toEqual({ acme: 7 })
  expect(await samples('scrape_breaker_open')).toEqual({ acme: 1 })
  const { queued, running } = await samples('scrape_jobs_oldest_seconds')
  expect(queued).toBeWithin(90, 120)
  expect(running).toBeWithin(30, 60)

  await sql`update scrape_jobs set status = 'done', finished_at = now()`
  expect(await samples('scrape_jobs')).toEqual({ 'acme,queued': 0, 'acme,running': 0 })
  expect(await samples('scrape_jobs_oldest_seconds')).toEqual({ queued: 0, running: 0 })
})

test('queue depth needs no count: it is reported even while the jobs table is locked', async () => {
  await sql.begin(async (tx) => {
    await tx`lock table scrape_jobs in access exclusive mode`
    expect((await listVendorFigures(sql)).map(({ vendor }) => vendor)).toEqual(['acme'])
    // The query of `jobs watch`: all jobs have ended, and none recently.
    expect([...(await listVendorQueues(sql))]).toEqual([])
  })
})

test('a statement that PostgreSQL refuses is an error, and no outage', async () => {
  await sql`alter table scrape_jobs rename column created_at to made_at`
  try {
    await expect(registry.metrics()).rejects.toThrow('created_at')
  } finally {
    await sql`alter table scrape_jobs rename column made_at to created_at`
  }
})

test('while the database is down nothing is reported, and other metrics stay', async () => {
  const away = new Registry()
  registerQueueMetrics(away, connectDatabase('postgres://nobody@127.0.0.1:9/none', { max: 1 }))
  const text = await away.metrics()
  expect(text).toContain('# TYPE scrape_jobs gauge')
  expect(text).not.toMatch(/^scrape_jobs\{/m)
})
