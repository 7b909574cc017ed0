import { expect, test } from 'bun:test'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

const { url, sql } = await createTestDatabase()

const keys = async (...args: string[]) => {
  const command = Bun.spawn(commandOf('src/cli/keys.ts', ...args), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: 'http://127.0.0.1:9' },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}

test('a key is created and shown once, listed without its value, and revoked', async () => {
  const created = await keys('create', 'partner', '--enqueue')
  expect(created.code).toBe(0)
  const [key = ''] = created.out.split('\n')
  expect(key).toMatch(/^pk_[0-9a-f]{64}$/)
  const [row] = await sql`select id, name, capabilities from api_keys`
  expect(row).toMatchObject({ name: 'partner', capabilities: ['read', 'enqueue'] })

  const listed = await keys('list')
  expect(listed.out).toContain('partner')
  expect(listed.out).toContain(row?.id)
  expect(listed.out).not.toContain(key.slice(3, 20))

  expect(await keys('revoke', row?.id)).toMatchObject({ code: 0, out: `Key ${row?.id} is revoked.\n` })
  expect(await keys('revoke', row?.id)).toMatchObject({ code: 1, err: `there is no valid key ${row?.id}\n` })
})

test('an invalid command line prints the usage with code 2', async () => {
  expect(await keys()).toMatchObject({ code: 2, err: expect.stringContaining('bun run keys create NAME') })
  expect(await keys('create')).toMatchObject({ code: 2, err: expect.stringContaining('NAME is missing') })
  expect(await keys('revoke', 'all')).toMatchObject({
    code: 2,
    err: expect.stringContaining('ID must be the id of a key'),
  })
  expect(await keys('list', '--colour')).toMatchObject({
    code: 2,
    err: expect.stringContaining('unknown option --colour'),
  })
  expect(await keys('create', 'a\nb')).toMatchObject({ code: 2, err: expect.stringContaining('no control characters') })
  expect(await keys('create', 'n'.repeat(101))).toMatchObject({ code: 2, err: expect.stringContaining('1 to 100') })
})
