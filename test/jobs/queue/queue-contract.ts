import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { JobQueue, QueuedJob } from '../../../src/jobs/queue/queue'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { waitFor } from '../../support/servers'

const jobs = (
  count: number,
  name: string,
  { attempts = 0, priority = 'normal' }: Partial<QueuedJob> = {},
): QueuedJob[] => Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, attempts, priority }))

/**
 * The contract of every queue driver. `open` opens a new connection; only one is open at a time. `isKept`: it gets the jobs that the previous
 * one left. Otherwise the queue starts empty.
 */
export const describeQueue = (
  name: string,
  {
    isMissing,
    isKept,
    start,
    open,
    stop,
  }: {
    isMissing: boolean
    isKept: boolean
    start: () => Promise<void>
    open: () => JobQueue
    stop: () => Promise<void>
  },
) =>
  describe.skipIf(isMissing)(name, () => {
    let queue: JobQueue
    let round = 0
    const vendor = () => `vendor-${round}`
    beforeAll(async () => {
      await start()
      queue = open()
    })
    afterAll(async () => {
      await queue.close()
      await stop()
    })

    /** Handles the jobs of this test's vendor, and counts how many were handled and how many ran concurrently. */
    const take = (handleMs = 1, handle: (job: QueuedJob) => Promise<void> = () => Bun.sleep(handleMs)) => {
      const seen: QueuedJob[] = []
      const now = { running: 0, most: 0, ended: 0 }
      queue.take(vendor(), async (job) => {
        seen.push(job)
        now.running++
        now.most = Math.max(now.most, now.running)
        await handle(job)
        now.running--
        now.ended++
      })
      return { seen, now }
    }

    test('every job is delivered once, and earlier sets come before later ones', async () => {
      round++
      for (const set of ['first', 'second']) {
        await queue.add(vendor(), jobs(250, set))
        // The embedded queue orders by milliseconds, so the sets need different times.
        await Bun.sleep(5)
      }
      const { seen, now } = take()
      await queue.setConcurrency(vendor(), 1)
      await waitFor(() => now.ended === 500, TEST_TIMEOUT_MS)
      const ids = (set: QueuedJob[]) => set.map(({ id }) => id).toSorted()
      expect(ids(seen.slice(0, 250))).toEqual(ids(jobs(250, 'first')))
      expect(ids(seen.slice(250))).toEqual(ids(jobs(250, 'second')))
    })

    test('jobs with high priority run before 5,000 waiting jobs, in the order in which they were added', async () => {
      round++
      const first = Promise.withResolvers<void>()
      const { seen, now } = take(0, ({ id }) => (id === 'first-0' ? first.promise : Promise.resolve()))
      await queue.setConcurrency(vendor(), 1)
      await queue.add(vendor(), jobs(1, 'first'))
      await waitFor(() => now.running === 1)
      for (let set = 0; set < 5; set++) await queue.add(vendor(), jobs(1_000, `waiting-${set}`))
      const ordered = ['ordered', 'later', 'last'].flatMap((name) => jobs(1, name, { priority: 'high' }))
      for (const job of ordered) {
        await queue.add(vendor(), [job])
        await Bun.sleep(5)
      }
      first.resolve()
      await waitFor(() => now.ended > ordered.length)
      expect(seen.slice(1, 4)).toEqual(ordered)
      await queue.setConcurrency(vendor(), 100)
      await waitFor(() => now.ended === 5_004, TEST_TIMEOUT_MS)
    })

    test('a waiting job that is added again with high priority runs first, and its old entry is delivered too', async () => {
      round++
      await queue.add(vendor(), jobs(50, 'f'))
      await queue.add(vendor(), jobs(50, 'f', { priority: 'high' }).slice(20, 23))
      const { seen, now } = take()
      await queue.setConcurrency(vendor(), 1)
      await waitFor(() => now.ended === 53)
      expect(
        seen
          .slice(0, 3)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(['f-20', 'f-21', 'f-22'])
    })

    test('a waiting job is not added twice; a handled job and its next attempt can be added again', async () => {
      round++
      await queue.add(vendor(), jobs(50, 'b'))
      await queue.add(vendor(), jobs(50, 'b'))
      const { seen, now } = take()
      await queue.setConcurrency(vendor(), 10)
      await waitFor(() => now.ended >= 50)
      // Behind all others: had they been added twice, they would have run before it.
      await queue.add(vendor(), jobs(1, 'last'))
      await waitFor(() => seen.some(({ id }) => id === 'last-0') && now.running === 0)
      expect(seen.length).toBe(51)
      await queue.add(vendor(), jobs(50, 'b'))
      await waitFor(() => now.ended === 101)
      await queue.add(vendor(), jobs(50, 'b', { attempts: 1 }))
      await waitFor(() => now.ended === 151)
      expect(seen.filter(({ attempts }) => attempts === 1).length).toBe(50)
    })

    test('no more jobs run concurrently than the limit allows, and a change applies to running queues', async () => {
      round++
      const { now } = take(20)
      await queue.setConcurrency(vendor(), 3)
      await queue.add(vendor(), jobs(1_000, 'c'))
      await waitFor(() => now.ended > 30)
      expect(now.most).toBe(3)
      await queue.setConcurrency(vendor(), 8)
      await waitFor(() => now.most === 8)
      await queue.setConcurrency(vendor(), 2)
      const mostUntilEnded = async (count: number) => {
        now.most = 0
        const before = now.ended
        await waitFor(() => now.ended > before + count)
        return now.most
      }
      // Jobs that were on their way to the worker still start.
      await waitFor(async () => (await mostUntilEnded(5)) <= 2)
      expect(await mostUntilEnded(20)).toBe(2)
      await queue.setConcurrency(vendor(), 100)
      await waitFor(() => now.ended === 1_000)
    })

    test('a raised limit starts more jobs while no running job ends', async () => {
      round++
      const end = Promise.withResolvers<void>()
      const { now } = take(0, () => end.promise)
      await queue.setConcurrency(vendor(), 2)
      await queue.add(vendor(), jobs(10, 'held'))
      await waitFor(() => now.running === 2)
      for (const limit of [3, 6]) {
        await queue.setConcurrency(vendor(), limit)
        await waitFor(() => now.running === limit)
      }
      expect(now.ended).toBe(0)
      end.resolve()
      await waitFor(() => now.ended === 10)
      expect(now.most).toBe(6)
    })

    test('vendors do not block each other', async () => {
      round++
      const end = Promise.withResolvers<void>()
      const slow = take(0, () => end.promise)
      await queue.setConcurrency(vendor(), 1)
      await queue.add(vendor(), jobs(2, 'slow'))
      await waitFor(() => slow.now.running === 1)
      round++
      const quick = take()
      await queue.setConcurrency(vendor(), 1)
      await queue.add(vendor(), jobs(20, 'quick'))
      await waitFor(() => quick.now.ended === 20)
      expect(slow.now.ended).toBe(0)
      end.resolve()
    })

    test('a paused queue takes no jobs while running ones continue, and the next connection gets each waiting job', async () => {
      round++
      const { now } = take(200)
      await queue.setConcurrency(vendor(), 2)
      await queue.add(vendor(), jobs(20, 'd'))
      await waitFor(() => now.running === 2)
      await queue.pause()
      await queue.setConcurrency(vendor(), 4)
      await waitFor(() => now.running === 0)
      const ended = now.ended
      await Bun.sleep(300)
      expect(now.ended).toBe(ended)
      await queue.close()
      queue = open()
      if (!isKept) await queue.add(vendor(), jobs(20, 'd').slice(ended))
      const next = take()
      await queue.setConcurrency(vendor(), 2)
      await waitFor(() => next.now.ended >= 20 - ended)
    })

    test('jobs that were being handled when the connection closed are delivered again by the next one', async () => {
      round++
      const first = take(60_000)
      await queue.setConcurrency(vendor(), 2)
      await queue.add(vendor(), jobs(2, 'e'))
      await waitFor(() => first.now.running === 2)
      await queue.close()
      queue = open()
      if (!isKept) await queue.add(vendor(), jobs(2, 'e'))
      const second = take()
      await queue.setConcurrency(vendor(), 2)
      await waitFor(() => second.now.ended === 2)
    })
  })
