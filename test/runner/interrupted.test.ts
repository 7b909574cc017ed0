import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { waitFor } from '../support/servers'
import { listProcesses } from './descendants'

const ROOT = join(import.meta.dirname, '../..')

const childrenOf = (parent: number): number[] =>
  [...listProcesses()].flatMap(([pid, process]) => (process.parent === parent ? [pid] : []))

test.skipIf(process.platform !== 'linux')(
  'a test run that is interrupted while its servers start leaves none of them running',
  async () => {
    // The runner needs no test of this name, because it is interrupted before it runs one.
    const runner = Bun.spawn(['bun', 'test/runner/run.ts', 'test/core/text/'], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    await waitFor(() => childrenOf(runner.pid).length > 0)
    const started = new Set<number>()
    const isEnded = runner.exited.then(() => true)
    runner.kill('SIGINT')
    while (!(await Promise.race([isEnded, Bun.sleep(20).then(() => false)])))
      for (const pid of childrenOf(runner.pid)) started.add(pid)
    expect(await runner.exited).toBe(130)
    expect(started.size).toBeGreaterThan(0)
    await waitFor(() => [...started].every((pid) => !listProcesses().has(pid)))
  },
)
