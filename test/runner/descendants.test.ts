import { afterAll, expect, test } from 'bun:test'
import { waitFor } from '../support/servers'
import { rememberDescendants } from './descendants'

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const started: number[] = []
afterAll(() => {
  for (const pid of started.filter(isAlive)) process.kill(pid, 'SIGKILL')
})

/** Starts a shell that starts a process in its own session without an environment, prints its pid and waits. */
const startShell = async () => {
  const shell = Bun.spawn(['sh', '-c', "setsid env -i sh -c 'echo $$; exec sleep 600' & wait"], {
    stdin: 'ignore',
    stdout: 'pipe',
  })
  const { value } = await shell.stdout.getReader().read()
  const orphan = Number(new TextDecoder().decode(value))
  started.push(shell.pid, orphan)
  return { shell, orphan }
}

test.skipIf(process.platform !== 'linux')(
  'a process without environment, in its own session, is killed after its parent has ended; unrelated processes are not',
  async () => {
    const [{ shell, orphan }, other] = [await startShell(), await startShell()]
    const descendants = rememberDescendants(shell.pid)
    descendants.look()
    shell.kill('SIGKILL')
    await shell.exited
    expect(isAlive(orphan)).toBe(true)
    descendants.signal('SIGKILL')
    await waitFor(() => !isAlive(orphan))
    expect([isAlive(other.shell.pid), isAlive(other.orphan)]).toEqual([true, true])
  },
)
