import { describe, expect, test } from 'bun:test'
import { HostTurns, PutOff, type Waiting } from '../../../adapters/http/host-turns'
import { ScrapeError } from '../../../adapters/scrape-error'
import { shortestTime } from '../../support/shortest-time'

const HOST = 'portal.example'
const never = () => new AbortController().signal
const waitingUpTo = (longestMs: number): Waiting => ({ longestMs, pause: () => () => {} })

describe('turns of requests to a host', () => {
  test('are given in the order of the requests, with the required pause between them', async () => {
    const turns = new HostTurns()
    const starts: { job: number; at: number }[] = []
    const take = async (job: number) => {
      await turns.take(HOST, 50, never())
      starts.push({ job, at: performance.now() })
    }
    const startedAt = performance.now()
    await Promise.all([0, 1, 2, 3, 4].map(take))
    expect(starts.map(({ job }) => job)).toEqual([0, 1, 2, 3, 4])
    for (const { job, at } of starts) expect(at).toBeGreaterThanOrEqual(startedAt + job * 50)
  })

  test('do not follow each other faster after a turn that came late', async () => {
    const turns = new HostTurns()
    const take = async () => {
      await turns.take(HOST, 50, never())
      return performance.now()
    }
    const taken = Promise.all([take(), take(), take(), take()])
    // The second turn comes three turns late.
    const lateAt = performance.now() + 200
    while (performance.now() < lateAt);
    for (const [job, at] of (await taken).slice(1).entries()) expect(at).toBeGreaterThanOrEqual(lateAt + job * 50)
  })

  test('are not lost when a waiting job gives up', async () => {
    const takeLast = async () => {
      const turns = new HostTurns()
      await turns.take(HOST, 100, never())
      const crowd = Array.from({ length: 50 }, () => new AbortController())
      const gone = crowd.map(({ signal }) => turns.take(HOST, 100, signal).catch((reason) => reason))
      const last = turns.take(HOST, 100, never())
      for (const abort of crowd) abort.abort('gone')
      expect(new Set(await Promise.all(gone))).toEqual(new Set(['gone']))
      await last
    }
    // The turns of all 50 would take 5 s.
    expect(await shortestTime(1_000, takeLast)).toBeLessThan(1_000)
  })

  test('too far in the future are refused immediately if the job has not started, each with its own time to retry', async () => {
    const turns = new HostTurns()
    const waiting = waitingUpTo(20_000)
    const stop = new AbortController()
    const jobs = Array.from({ length: 6 }, () => turns.take(HOST, 10_000, AbortSignal.any([stop.signal]), waiting))
    const outcomes = Promise.all(jobs.map((job) => job.catch((error) => error)))
    // The first starts immediately, and two have less than 20 s to wait.
    const refused = await Promise.all(jobs.slice(3).map((job) => job.catch((error) => error)))
    expect(refused.every((error) => error instanceof PutOff && error.code === 'throttled')).toBe(true)
    const times = refused.map(({ retryAfterMs }) => Math.round(retryAfterMs / 1_000))
    expect(times).toEqual([20, 30, 40])
    stop.abort('over')
    expect((await outcomes).slice(0, 3)).toEqual([undefined, 'over', 'over'])
  })

  test('are put off for a minute after three requests in a row without an answer, and given again after an answer', async () => {
    const turns = new HostTurns()
    for (let request = 0; request < 3; request++) {
      await turns.take(HOST, 0, never())
      turns.noteSilence(HOST)
    }
    const refused = await turns.take(HOST, 0, never()).catch((error) => error)
    expect(refused).toBeInstanceOf(PutOff)
    expect(refused.message).toContain('did not answer 3 requests in a row')
    expect(Math.round(refused.retryAfterMs / 1_000)).toBe(60)
    await turns.take('other.example', 0, never())
    turns.noteAnswer(HOST)
    await turns.take(HOST, 0, never())
    turns.noteSilence(HOST)
    await turns.take(HOST, 0, never())
  })

  test('are always awaited by a started job, and by jobs without a limit', async () => {
    const turns = new HostTurns()
    const begun = never()
    const waiting = waitingUpTo(10)
    await turns.take(HOST, 60, begun, waiting)
    const others = [turns.take(HOST, 60, never()), turns.take(HOST, 60, never())]
    await expect(turns.take(HOST, 60, never(), waiting)).rejects.toBeInstanceOf(PutOff)
    await Promise.all([...others, turns.take(HOST, 60, begun, waiting)])
  })

  test('always leave room for one waiting job, so that no turn is lost', async () => {
    const turns = new HostTurns()
    await turns.take(HOST, 60, never(), waitingUpTo(0))
    await turns.take(HOST, 60, never(), waitingUpTo(0))
  })

  test('are postponed after a Retry-After, each to its own time, except for the job that received it', async () => {
    const turns = new HostTurns()
    const told = never()
    await turns.take(HOST, 10_000, told)
    const inLine = [never(), never(), told].map((signal) => turns.take(HOST, 10_000, signal).catch((error) => error))
    turns.hold(HOST, 30_000, told)
    const late = turns.take(HOST, 10_000, never()).catch((error) => error)
    const [first, second, own, last] = await Promise.all([...inLine, late])
    for (const [error, seconds] of [
      [first, 30],
      [second, 40],
      [last, 50],
    ]) {
      expect(error).toBeInstanceOf(PutOff)
      expect(Math.round(error.retryAfterMs / 1_000)).toBe(seconds)
    }
    expect(own).toBeInstanceOf(ScrapeError)
    expect(own).not.toBeInstanceOf(PutOff)
    expect(own.code).toBe('throttled')
    expect(Math.round(own.retryAfterMs / 1_000)).toBe(30)
  })
})
