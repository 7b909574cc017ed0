import { expect, test } from 'bun:test'
import { createFairTurns } from '../../../core/concurrency/fair-turns'
import { waitFor } from '../../support/servers'

/** Work that lasts until the test ends it. `began` records the order of the starts. */
const createWork = () => {
  const began: string[] = []
  const ends: (() => void)[] = []
  return {
    began,
    work: (name: string) => () => {
      began.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    },
    endOldest: async () => {
      ends.shift()?.()
      await Bun.sleep(0)
    },
    endAll: async () => {
      while (ends.length > 0) {
        ends.shift()?.()
        await Bun.sleep(0)
      }
    },
  }
}

const PATIENCE = { patienceMs: 10_000 }

test('the number of pieces that run at the same time is limited, in total and per caller', async () => {
  const { began, work, endAll } = createWork()
  const turns = createFairTurns({ atOnce: 3, perCaller: 2, ...PATIENCE })
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => turns.run({ id: name[0] ?? '' }, work(name)))
  expect(began).toEqual(['a1', 'a2', 'b1'])
  expect([turns.running(), turns.waiting()]).toEqual([3, 3])
  await endAll()
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
  expect([turns.running(), turns.waiting()]).toEqual([0, 0])
})

test('waiting callers are served round robin, each in the order of its requests', async () => {
  const { began, work, endOldest, endAll } = createWork()
  const turns = createFairTurns({ atOnce: 1, perCaller: 1, ...PATIENCE })
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => turns.run({ id: name[0] ?? '' }, work(name)))
  for (let n = 0; n < 6; n++) await endOldest()
  expect(began).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  await endAll()
  await Promise.all(all)
})

test('a new caller waits for at most one piece of each other caller, however many pieces wait', async () => {
  const { began, work, endOldest, endAll } = createWork()
  const turns = createFairTurns({ atOnce: 2, perCaller: 1, ...PATIENCE })
  const crowd = Array.from({ length: 1_000 }, (_, n) => turns.run({ id: n % 2 === 0 ? 'a' : 'b' }, work('crowd')))
  const newcomer = turns.run({ id: 'new' }, work('newcomer'))
  await endOldest()
  await endOldest()
  expect(began.indexOf('newcomer')).toBeLessThanOrEqual(3)
  await endAll()
  await Promise.all([...crowd, newcomer])
})

test('failed work frees its place', async () => {
  const turns = createFairTurns({ atOnce: 1, perCaller: 1, ...PATIENCE })
  const failing = turns.run({ id: 'a' }, () => Promise.reject(new Error('no luck')))
  const next = turns.run({ id: 'b' }, async () => 'done')
  await expect(failing).rejects.toThrow('no luck')
  expect(await next).toBe('done')
})

test('a caller who disconnects leaves the queue, and its work never begins', async () => {
  const { began, work, endAll } = createWork()
  const turns = createFairTurns({ atOnce: 1, perCaller: 1, ...PATIENCE })
  const first = turns.run({ id: 'a' }, work('first'))
  const client = new AbortController()
  const gone = turns.run({ id: 'b', signal: client.signal }, work('gone')).catch((error: unknown) => error)
  client.abort()
  expect(await gone).toMatchObject({ code: 'caller_gone' })
  expect(turns.waiting()).toBe(0)
  const late = turns.run({ id: 'b', signal: client.signal }, work('late')).catch((error: unknown) => error)
  expect(await late).toMatchObject({ code: 'caller_gone' })
  await endAll()
  await first
  expect(began).toEqual(['first'])
})

test('a request that waits too long fails with `busy`', async () => {
  const { work, endAll } = createWork()
  const turns = createFairTurns({ atOnce: 1, perCaller: 1, patienceMs: 10 })
  const first = turns.run({ id: 'a' }, work('first'))
  const late = await turns.run({ id: 'b' }, work('late')).catch((error: unknown) => error)
  expect(late).toMatchObject({ code: 'busy' })
  await waitFor(() => turns.waiting() === 0)
  await endAll()
  expect(await first).toBe('first')
})

test('a caller at its own limit gets no place that another caller leaves', async () => {
  const turns = createFairTurns({ atOnce: 3, perCaller: 1, patienceMs: 60_000 })
  const held = Promise.withResolvers<void>()
  const first = turns.run({ id: 'busy' }, () => held.promise)
  const second = turns.run({ id: 'busy' }, async () => {})
  await turns.run({ id: 'other' }, async () => {})
  expect([turns.running(), turns.waiting()]).toEqual([1, 1])
  held.resolve()
  await Promise.all([first, second])
  expect([turns.running(), turns.waiting()]).toEqual([0, 0])
})
