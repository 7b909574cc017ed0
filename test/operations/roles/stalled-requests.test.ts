import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import packageJson from '../../../package.json'

const PROGRAM = 'test/operations/roles/stalled-requests-process.ts'
/** The command with which each way of deployment starts a process, with another program. */
const commands = {
  'bun start': packageJson.scripts.start.replace('src/main.ts', PROGRAM),
  'the image': `${/^ENV (BUN_CONFIG_\w+=\d+)$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1]} bun ${PROGRAM}`,
}

test.each(Object.entries(commands))(
  'in a process that %s starts, a request is answered while 1,000 others stall',
  async (_, command) => {
    const child = Bun.spawn(['sh', '-c', `exec env ${command}`], { stdout: 'pipe', timeout: 30_000 })
    expect(await child.stdout.text()).toBe('answered\n')
  },
  40_000,
)
