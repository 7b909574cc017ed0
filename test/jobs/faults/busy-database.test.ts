import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { connectDatabase } from '../../../core/postgres/database'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { persist } from '../../../src/scrape/store/persist'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { createTestDatabase, waitFor } from '../../support/servers'
import { enqueue, findJob, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, createTestContext } from '../test-adapter'

const { url, sql: observer } = await createTestDatabase()
await insertVendor(observer, 'test', 10)
await insertSource(observer, 'elm', 'test')
// Statements wait only 100 ms for locks.
const sql = connectDatabase(`${url}?lock_timeout=100`, {
  max: 4,
  applicationName: 'busy-worker',
  patience: 'background',
})
const dir = mkdtempSync(join(tmpdir(), 'busy-'))
const start = (busyForMs: number) => {
  const queue = createEmbeddedQueue(dir)
  const log = pino({ level: 'silent' })
  const worker = createWorker({
    ...{ sql, queue, log, review: () => [], busyForMs },
    scrapeParcel: createScrapeParcel({ sql, findAdapter: () => createTestAdapter(), createContext: createTestContext }),
    retryDelay: () => 100,
  })
  const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
  worker.start()
  dispatcher.start()
  return {
    stop: async () => {
      await dispatcher.stop()
      await worker.stop(0)
    },
  }
}
/** Longer than a test: a job is not retried while its first attempt still tries to store. */
let service = start(TEST_TIMEOUT_MS)
afterAll(async () => {
  await service.stop()
  await sql.end({ timeout: 1 })
  rmSync(dir, { recursive: true, force: true })
})

const done = async (id: string): Promise<boolean> => ['done', 'error'].includes((await findJob(observer, id)).status)

/** Runs `work` while another transaction locks a parcel of the source. */
const whileLocked = async (parcel: string, work: () => Promise<void>): Promise<void> => {
  await observer`insert into parcels (source, source_parcel_id) values ('elm', ${parcel})`
  await observer.begin(async (tx) => {
    await tx`update parcels set owner_name = 'SOMEBODY ELSE' where source = 'elm' and source_parcel_id = ${parcel}`
    await work()
  })
}

test('a job whose parcel is locked for longer than the lock timeout succeeds once the lock is released', async () => {
  let id = ''
  await whileLocked('LOCKED', async () => {
    ;[id = ''] = await enqueue(observer, 'elm', ['LOCKED'])
    await waitFor(async () => (await findJob(observer, id)).attempts > 0)
    // A second statement waits, so the first one has timed out.
    const waits = new Set<string>()
    await waitFor(async () => {
      const waiting = await observer<{ since: string }[]>`
        select query_start::text as since from pg_stat_activity
        where application_name = 'busy-worker' and wait_event_type = 'Lock' and datname = current_database()`
      for (const { since } of waiting) waits.add(since)
      return waits.size > 1
    })
    expect((await findJob(observer, id)).status).toBe('running')
  })
  await waitFor(() => done(id))
  expect(await findJob(observer, id)).toMatchObject({ status: 'done', attempts: 1, error_code: null })
})

test('a job that finds the database busy is retried as often as needed, and these attempts do not count', async () => {
  await service.stop()
  service = start(1_000)
  let id = ''
  await whileLocked('LOCKED LONG', async () => {
    ;[id = ''] = await enqueue(observer, 'elm', ['LOCKED LONG'])
    // More than the three attempts that a portal's failures get.
    await waitFor(async () => (await findJob(observer, id)).attempts > 4)
  })
  await waitFor(() => done(id))
  expect(await findJob(observer, id)).toMatchObject({ status: 'done', error_code: null })
  const attempts = await observer`select outcome from scrape_attempts where job_id = ${id}`
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['done'])
})

test('a job succeeds even if an operator cancels its statement', async () => {
  let id = ''
  let cancelled = 0
  await whileLocked('CANCELLED', async () => {
    ;[id = ''] = await enqueue(observer, 'elm', ['CANCELLED'])
    await waitFor(async () => {
      cancelled += (
        await observer`
          select pg_cancel_backend(pid) from pg_stat_activity
          where application_name = 'busy-worker' and wait_event_type = 'Lock' and datname = current_database()`
      ).length
      return cancelled > 0
    })
  })
  await waitFor(() => done(id))
  expect(await findJob(observer, id)).toMatchObject({ status: 'done', error_code: null })
})

test('a permanent error is thrown immediately, and a transient one after a while', async () => {
  const failWith = (code: string) => {
    let tries = 0
    const failing = persist(
      async () => {
        tries++
        throw Object.assign(new Error(code), { code })
      },
      { isOver: () => tries > 20, busyForMs: 300 },
    ).catch(({ message }) => message)
    return failing.then((message) => ({ message, tries }))
  }
  expect(await failWith('23505')).toEqual({ message: '23505', tries: 1 })
  const busy = await failWith('40001')
  expect(busy.message).toBe('40001')
  expect(busy.tries).toBeGreaterThan(1)
  expect(busy.tries).toBeLessThan(8)
  // If the database is unavailable, persist retries until isOver() is true.
  expect((await failWith('ECONNREFUSED')).tries).toBe(21)
})
