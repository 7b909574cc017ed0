import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { describeQueue } from './queue-contract'

const dir = mkdtempSync(join(tmpdir(), 'embedded-queue-'))

describeQueue('the embedded queue', {
  isMissing: false,
  start: async () => {},
  open: () => createEmbeddedQueue(dir),
  stop: async () => rmSync(dir, { recursive: true, force: true }),
})

test('a second process cannot open the file of the embedded queue', async () => {
  const other = mkdtempSync(join(tmpdir(), 'embedded-queue-'))
  const program = `
    const { createEmbeddedQueue } = await import('./src/jobs/queue/bunqueue')
    createEmbeddedQueue(process.argv[1])
    console.log('open')
    setInterval(() => {}, 1_000)`
  const first = Bun.spawn(['bun', '-e', program, other], { stdout: 'pipe' })
  await first.stdout.getReader().read()
  expect(() => createEmbeddedQueue(other)).toThrow(`${other} is in use by`)
  first.kill('SIGKILL')
  await first.exited
  rmSync(other, { recursive: true, force: true })
})
