import { expect, test } from 'bun:test'
import { runInThread } from '../../../core/concurrency/threads'
import { isConnectionLost } from '../../../core/postgres/transient-errors'
import type { TrialTask } from './task-thread'

const start = (task: TrialTask['task']) => {
  const stopping = new AbortController()
  const begun = Promise.withResolvers<void>()
  const result = runInThread<TrialTask>(new URL('./task-thread.ts', import.meta.url), task, {
    ...{ signal: stopping.signal, onReport: () => begun.resolve() },
  })
  result.catch(() => {})
  return { result, begun: begun.promise, stop: () => stopping.abort(new Error('stopped')) }
}

test('a task runs in the thread that has done the last one, and tasks at a time run in threads of their own', async () => {
  expect(await start('answer').result).toBe(1)
  expect(await start('answer').result).toBe(2)
  const [one, other] = [start('answer'), start('answer')]
  expect([await one.result, await other.result].toSorted()).toEqual([1, 3])
})

test('the thread of a task that failed or was stopped has no other task', async () => {
  const refused = await start('refuse').result.catch((error) => error)
  expect(refused).toMatchObject({ code: 'bad_input', message: 'it was refused' })
  const stuck = start('wait')
  await stuck.begun
  stuck.stop()
  expect(await stuck.result.catch((error) => error)).toMatchObject({ message: 'stopped' })
  // They were the two threads of the first test.
  expect(await start('answer').result).toBe(1)
})

test('a thread that lost the database fails with an error that is worth retrying', async () => {
  expect(isConnectionLost(await start('lose the database').result.catch((error) => error))).toBe(true)
})

test('a process ends although it keeps a thread', async () => {
  const program = `
    import { runInThread } from '${import.meta.dirname}/../../../core/concurrency/threads'
    const program = new URL('file://${import.meta.dirname}/task-thread.ts')
    console.log(await runInThread(program, 'answer', { signal: new AbortController().signal, onReport() {} }))`
  const child = Bun.spawn(['bun', '-e', program], { stdout: 'pipe' })
  expect(await new Response(child.stdout).text()).toBe('1\n')
  expect(await child.exited).toBe(0)
})
