import { expect, test } from 'bun:test'
import { setDeadline } from '../../../core/concurrency/deadline'
import { waitAtMost } from '../../../core/concurrency/wait-at-most'
import { waitFor } from '../../support/servers'

test('what another process sent while this one stood still is read before the deadline', async () => {
  const sender = Bun.spawn(['sh', '-c', 'echo ready; sleep 0.2; echo sent'], { stdout: 'pipe' })
  const lines = sender.stdout.getReader()
  const readLine = async () => new TextDecoder().decode((await lines.read()).value).trim()
  expect(await readLine()).toBe('ready')
  const waiting = waitAtMost(100, readLine())
  Bun.sleepSync(1_000)
  expect(await waiting).toBe('sent')
})

test('a deadline passes in time, even after this process stood still, unless it is cancelled', async () => {
  const passed: string[] = []
  setDeadline(20, () => passed.push('kept'))
  setDeadline(20, () => passed.push('cancelled'))()
  const cancelLater = setDeadline(20, () => passed.push('cancelled after the pause'))
  Bun.sleepSync(200)
  await Bun.sleep(1)
  cancelLater()
  await waitFor(() => passed.length > 0)
  expect(passed).toEqual(['kept'])
})
