import { expect, test } from 'bun:test'
import { join } from 'node:path'

const COMMAND_DIR = join(import.meta.dirname, '../../../src/cli/command')

/** Starts a command, interrupts it, and lets it run the code `then` before it ends. */
const stopWhileIt = async (then: string): Promise<{ code: number; stderr: string }> => {
  const child = Bun.spawn(
    [
      'bun',
      '-e',
      `import { runCommand } from '${COMMAND_DIR}/command'
       import { listenForStop } from '${COMMAND_DIR}/stop-signal'
       await runCommand(async () => {
         const signal = listenForStop()
         const keepsAlive = setInterval(() => {}, 1_000)
         const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
         console.log('ready')
         await stopped
         clearInterval(keepsAlive)
         ${then}
       })`,
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  )
  await child.stdout.getReader().read()
  child.kill('SIGINT')
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { code, stderr }
}

test('a command that shows what it has when it is stopped exits with 130', async () => {
  expect(await stopWhileIt('')).toEqual({ code: 130, stderr: '' })
})

test('a command that gives up when it is stopped says so in one line and exits with 130', async () => {
  expect(await stopWhileIt('signal.throwIfAborted()')).toEqual({ code: 130, stderr: 'stopped\n' })
})

test('a stopped command that set another exit code keeps it', async () => {
  expect(await stopWhileIt('process.exitCode = 3')).toEqual({ code: 3, stderr: '' })
})
