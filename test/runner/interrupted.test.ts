import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
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

test.skipIf(process.platform !== 'linux')(
  'a test run that is interrupted while it runs some files and others wait ends at once',
  async () => {
    const runner = Bun.spawn(['bun', 'test/runner/run.ts', '--jobs', '1', 'test/core/text/', 'test/work/'], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 120_000,
      killSignal: 'SIGKILL',
    })
    const find = (beginning: string) => childrenOf(runner.pid).find((pid) => commandOf(pid).includes(beginning))
    await waitFor(() => find('bun\0test\0') !== undefined)
    const server = find('/postgres\0') ?? 0
    expect(server).toBeGreaterThan(0)
    // While it waits for the server to stop, the runner looks again whether it should start more tests, every 0.75 s.
    process.kill(server, 'SIGSTOP')
    runner.kill('SIGINT')
    await Bun.sleep(1_500)
    process.kill(server, 'SIGCONT')
    await waitFor(() => runner.exitCode !== null)
    expect(runner.exitCode).toBe(130)
  },
)

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}
