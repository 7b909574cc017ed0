import { expect, test } from 'bun:test'
import { upsertAccount } from '../../../drizzle/queries/people/accounts'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

const { url, sql } = await createTestDatabase()

const accounts = async (...args: string[]) => {
  const command = Bun.spawn(commandOf('src/cli/accounts.ts', ...args), {
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

test('the first admin is set in the database, by email', async () => {
  expect(await accounts('promote', 'ada@larkspur.example')).toMatchObject({
    code: 1,
    err: 'nobody with the email ada@larkspur.example has signed in yet. They must first sign in at /auth/sign-in\n',
  })
  const identity = { issuer: 'https://id.example', subject: '1', email: 'Ada@Larkspur.example', name: 'Ada Juniper' }
  const id = await upsertAccount(sql, identity)
  expect(await accounts('promote', 'ada@larkspur.example')).toMatchObject({
    code: 0,
    out: 'Ada Juniper (Ada@Larkspur.example) is now: admin, plan free.\n',
  })
  expect((await accounts('plan', id, 'paid')).out).toContain('is now: admin, plan paid.')
  const listed = await accounts('list')
  for (const text of [id, 'Ada@Larkspur.example', 'admin', 'paid']) expect(listed.out).toContain(text)
})

test('a name cannot control the terminal of the operator', async () => {
  const name = '\u001b]0;title\u0007Eve\u009b2J\r'
  const id = await upsertAccount(sql, {
    issuer: 'https://id.example',
    subject: '3',
    email: 'eve@larkspur.example',
    name,
  })
  expect((await accounts('plan', id, 'free')).out).toStartWith(']0;titleEve2J (eve@larkspur.example) is now')
  expect((await accounts('list')).out).toContain(' ]0;titleEve2J ')
  const refused = await accounts('promote', '\u001b[2J@larkspur.example')
  expect(refused.err).toStartWith('nobody with the email [2J@larkspur.example has')
})

test('an email of two accounts is refused', async () => {
  const person = { subject: '2', email: 'twice@larkspur.example', name: null }
  const ids = [
    await upsertAccount(sql, { issuer: 'https://one.example', ...person }),
    await upsertAccount(sql, { issuer: 'https://two.example', ...person }),
  ]
  const refused = await accounts('promote', 'twice@larkspur.example')
  expect(refused.code).toBe(1)
  for (const text of [...ids, 'https://one.example', 'https://two.example']) expect(refused.err).toContain(text)
  expect((await sql`select 1 from accounts where email = ${person.email} and role = 'admin'`).count).toBe(0)
})

test('an invalid command line prints the usage and exits with code 2', async () => {
  for (const args of [[], ['demote'], ['promote'], ['plan', 'ada@larkspur.example', 'gold']]) {
    const { code, err } = await accounts(...args)
    expect(code).toBe(2)
    expect(err).toContain('bun run accounts promote EMAIL')
  }
})
