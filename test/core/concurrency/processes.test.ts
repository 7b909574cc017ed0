import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type ProcessBounds, runInProcess } from '../../../core/concurrency/processes'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { waitFor } from '../../support/servers'
import type { TrialTask } from './task-process'

setDefaultTimeout(TEST_TIMEOUT_MS)

const AMPLE: ProcessBounds = { memoryBytes: 1024 ** 3, stepMs: 60_000, silentMs: 120_000 }

const start = (task: TrialTask['task'], bounds: Partial<ProcessBounds> = {}, stopMs = 0) => {
  const stopping = new AbortController()
  const pid = Promise.withResolvers<number>()
  const result = runInProcess<TrialTask>(new URL('./task-process.ts', import.meta.url), task, {
    ...{ what: 'the trial', bounds: { ...AMPLE, ...bounds }, signal: stopping.signal, stopMs, onReport: pid.resolve },
  })
  // `result` is awaited after the pid, when it may have failed already.
  result.catch(() => {})
  return { result, pid: pid.promise, stop: () => stopping.abort(new Error('stopped')) }
}
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const waitForEnd = (pid: number) => waitFor(async () => !isRunning(pid))

test('a task reports, answers, and leaves no process', async () => {
  const { result, pid } = start('answer')
  expect(await result).toBe('answered')
  await waitForEnd(await pid)
})

test('an expected failure keeps its code', async () => {
  await expect(start('refuse').result).rejects.toMatchObject({ code: 'bad_input', message: 'it was refused' })
})

test('a process that takes too much memory is killed', async () => {
  const { result, pid } = start('grow', { memoryBytes: 300 * 1024 ** 2 })
  await expect(result).rejects.toMatchObject({
    code: 'too_large',
    message: 'the trial failed: it takes more than 300 MB of memory',
  })
  await waitForEnd(await pid)
})

test('a process that is stuck in one step is killed', async () => {
  const { result, pid } = start('loop', { stepMs: 1_000 })
  await expect(result).rejects.toMatchObject({
    code: 'too_large',
    message: 'the trial failed: one step takes more than 1 s of processor time',
  })
  await waitForEnd(await pid)
})

test('a program that a killed process has started is killed with it', async () => {
  const { result, pid } = start('start', { stepMs: 1_000 })
  await expect(result).rejects.toMatchObject({ code: 'too_large' })
  await waitForEnd(await pid)
})

test('a process that crashes, or is frozen, is worth another try', async () => {
  await expect(start('crash').result).rejects.toMatchObject({
    code: 'server_unavailable',
    message: 'the trial failed: the process ended with SIGSEGV',
  })
  const { result, pid } = start('wait', { silentMs: 3_000 })
  process.kill(await pid, 'SIGSTOP')
  await expect(result).rejects.toMatchObject({
    code: 'server_unavailable',
    message: 'the trial failed: the process did not respond for 3 s',
  })
  await waitForEnd(await pid)
})

test('a process that is asked to stop may end its task, and is killed if it does not', async () => {
  for (const task of ['wait', 'loop'] as const) {
    const { result, pid, stop } = start(task, {}, 500)
    await pid
    stop()
    await expect(result).rejects.toThrow('stopped')
    await waitForEnd(await pid)
  }
})

test('a stuck process ends when the process that started it is killed', async () => {
  const parent = Bun.spawn([process.execPath, join(import.meta.dirname, 'parent-process.ts')], { stdout: 'pipe' })
  const reader = parent.stdout.getReader()
  const { value } = await reader.read()
  const pid = Number(new TextDecoder().decode(value))
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await waitForEnd(pid)
})
