import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { waitFor } from '../../support/servers'
import { describeQueue } from './queue-contract'

afterEach(() => void setSystemTime())

const dir = mkdtempSync(join(tmpdir(), 'embedded-queue-'))

describeQueue('the embedded queue', {
  isMissing: false,
  isKept: false,
  start: async () => {},
  open: () => createEmbeddedQueue(dir),
  stop: async () => rmSync(dir, { recursive: true, force: true }),
})

/** Of the lock on the folder. */
const LOCK_FILES = /^(lock|lock-journal|owner)$/

test('a second process cannot open the embedded queue, and jobs are not written to a file', async () => {
  const other = mkdtempSync(join(tmpdir(), 'embedded-queue-'))
  const program = `
    const { createEmbeddedQueue } = await import('./src/jobs/queue/bunqueue')
    const queue = createEmbeddedQueue(process.argv[1])
    await queue.add('vendor', [{ id: 'one', attempts: 0, priority: 'normal' }])
    queue.take('vendor', async () => console.log('open'))
    setInterval(() => {}, 1_000)`
  // bunqueue's own setting for a file.
  const file = join(other, 'jobs.sqlite')
  const first = Bun.spawn(['bun', '-e', program, other], { stdout: 'pipe', env: { ...process.env, DATA_PATH: file } })
  await first.stdout.getReader().read()
  expect(() => createEmbeddedQueue(other)).toThrow(`${other} is in use by`)
  expect(readdirSync(other).filter((name) => !LOCK_FILES.test(name))).toEqual([])
  first.kill('SIGKILL')
  await first.exited
  rmSync(other, { recursive: true, force: true })
})

test('jobs that were added before the clock was set back by an hour are delivered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-queue-'))
  setSystemTime(new Date(Date.now() + 3_600_000))
  const queue = createEmbeddedQueue(folder)
  await queue.setConcurrency('vendor', 1)
  await queue.add('vendor', [
    { id: 'one', attempts: 0, priority: 'normal' },
    { id: 'two', attempts: 0, priority: 'normal' },
  ])
  setSystemTime()
  const delivered: string[] = []
  queue.take('vendor', async ({ id }) => void delivered.push(id))
  await waitFor(() => delivered.length === 2)
  expect(delivered).toEqual(['one', 'two'])
  await queue.close()
  rmSync(folder, { recursive: true, force: true })
})
