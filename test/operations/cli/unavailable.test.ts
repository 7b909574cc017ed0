import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

/* A command whose servers do not answer, or refuse it, says so in one line. */

const { url } = await createTestDatabase()
const dir = mkdtempSync(join(tmpdir(), 'unavailable-'))
afterAll(() => rmSync(dir, { recursive: true }))

const NOWHERE = 'http://127.0.0.1:9'

/** Runs a command with servers of its own, and returns the lines that it wrote to standard error. */
const fail = async (command: string, changes: Record<string, string>): Promise<string[]> => {
  const [file = '', ...args] = command.split(' ')
  const child = Bun.spawn(commandOf(file, ...args), {
    stdout: 'ignore',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', DATA_DIR: dir, DATABASE_URL: url, MEILI_URL: NOWHERE, ...changes },
  })
  const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
  expect(code).toBe(1)
  return said.trim().split('\n')
}

test.each(['src/main.ts sync', 'src/cli/jobs.ts list', 'src/cli/migrate.ts', 'src/cli/tiles-build.ts'])(
  '%s without a database names the variable',
  async (command) => {
    const line =
      'the database is unavailable (connect ECONNREFUSED 127.0.0.1:9). Check that the server runs and that DATABASE_URL is right'
    expect(await fail(command, { DATABASE_URL: 'postgres://u:secret@127.0.0.1:9/x' })).toEqual([line])
  },
)

test('a missing database is named', async () => {
  const missing = new URL(url)
  missing.pathname = '/no-such-database'
  expect(await fail('src/cli/keys.ts list', { DATABASE_URL: missing.href })).toEqual([
    'PostgreSQL refuses DATABASE_URL: database "no-such-database" does not exist',
  ])
})

test('a parameter of DATABASE_URL that the server does not know is named', async () => {
  expect(await fail('src/main.ts scheduler', { DATABASE_URL: `${url}?channel_binding=require` })).toEqual([
    'PostgreSQL refuses DATABASE_URL: unrecognized configuration parameter "channel_binding"',
  ])
})

test('an index is not compared without Meilisearch, which is named', async () => {
  expect(await fail('src/cli/reindex.ts --check', {})).toEqual([
    expect.stringMatching(/^Request to .* has failed\. Check that Meilisearch runs, and that MEILI_URL and /),
  ])
})

test('a full disk ends a command with one line', async () => {
  const program = `import { writeFileSync } from 'node:fs'
    import { runCommand } from './src/cli/command/command'
    await runCommand(async () => writeFileSync('/dev/full', 'x'))`
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', program])
  expect([exitCode, stderr.toString()]).toEqual([1, 'the disk is full (ENOSPC: no space left on device, write)\n'])
})
