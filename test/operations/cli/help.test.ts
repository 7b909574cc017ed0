import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf } from '../../runner/programs'

const root = mkdtempSync(join(tmpdir(), 'help-'))
afterAll(() => rmSync(root, { recursive: true }))

/** `ready` is for health checks of containers, and has no options. */
const commands = ['src/main.ts', ...new Bun.Glob('src/cli/*.ts').scanSync('.')]
  .filter((file) => /^await runCommand\(/m.test(readFileSync(file, 'utf8')) && file !== 'src/cli/ready.ts')
  .sort()

test.each(commands)('%s --help prints the usage, and starts and changes nothing', async (file) => {
  const dir = mkdtempSync(join(root, 'data-'))
  const { DATABASE_URL, MEILI_URL, REDIS_URL, ...env } = process.env
  const command = Bun.spawn(commandOf(file, '--help'), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...env, DATA_DIR: dir },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^bun (run|start) ?/)
  expect(readdirSync(dir)).toEqual([])
})
