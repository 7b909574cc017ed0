import { afterEach, expect, test } from 'bun:test'
import { createTestApp } from '../../test-app'

const { sql, call, signIn } = await createTestApp()
afterEach(async () => {
  await sql`delete from accounts`
})

const change = (id: string, body: object, headers?: Record<string, string>) =>
  call(`/v1/admin/accounts/${id}`, { method: 'PATCH', body, ...(headers === undefined ? {} : { key: null, headers }) })
const remove = (id: string, headers?: Record<string, string>) =>
  call(`/v1/admin/accounts/${id}`, { method: 'DELETE', ...(headers === undefined ? {} : { key: null, headers }) })
const admins = async () => (await sql`select 1 from accounts where role = 'admin'`).count

test('accounts are listed newest first, in pages, with their number of valid keys', async () => {
  const people = []
  for (let index = 0; index < 5; index++) people.unshift(await signIn({ email: `p${index}@larkspur.example` }))
  const ben = people[0]
  const issue = () =>
    call('/v1/account/keys', { method: 'POST', key: null, headers: ben?.headers ?? {}, body: { name: 'x' } })
  const { id } = (await issue()).body
  await issue()
  await call(`/v1/account/keys/${id}`, { method: 'DELETE', key: null, headers: ben?.headers ?? {} })

  const seen: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { body } = await call(`/v1/admin/accounts?limit=2${next === '' ? '' : `&after=${next}`}`)
    expect(body.count).toBe(body.accounts.length)
    seen.push(...body.accounts.map((account: { id: string }) => account.id))
    next = body.next
  }
  expect(seen).toEqual(people.map(({ accountId }) => accountId))
  const [first] = (await call('/v1/admin/accounts')).body.accounts
  expect(first).toMatchObject({
    email: 'p4@larkspur.example',
    role: 'member',
    plan: 'free',
    keys: 1,
    last_seen_at: expect.any(String),
  })
})

test('accounts are found by part of an email or name; wildcard characters are literal', async () => {
  await signIn({ email: 'ada@larkspur.example' })
  const { accountId } = await signIn({ email: '100%_x@larkspur.example' })
  await sql`update accounts set name = 'Ben Alder' where id = ${accountId}`
  const find = async (q: string) => (await call(`/v1/admin/accounts?q=${encodeURIComponent(q)}`)).body.count
  expect([await find('ADA@'), await find('ben al'), await find('%_'), await find('%%'), await find('')]).toEqual([
    1, 1, 1, 0, 2,
  ])
})

test('an admin promotes, demotes and sets plans, with effect on the next request', async () => {
  const ada = await signIn({ role: 'admin' })
  const ben = await signIn()
  const may = async (path: string) => (await call(path, { key: null, headers: ben.headers })).status
  expect(await may('/v1/admin/accounts')).toBe(403)
  const promoted = await change(ben.accountId, { role: 'admin', plan: 'paid' }, ada.headers)
  expect(promoted).toMatchObject({ status: 200, body: { id: ben.accountId, role: 'admin', plan: 'paid' } })
  expect(await may('/v1/admin/accounts')).toBe(200)
  expect((await change(ben.accountId, { role: 'member' }, ada.headers)).body).toMatchObject({
    role: 'member',
    plan: 'paid',
  })
  expect(await may('/v1/admin/accounts')).toBe(403)
})

test('the last admin can be neither demoted nor removed, by themselves or by the operator, whatever their plan', async () => {
  const ada = await signIn({ role: 'admin' })
  await signIn()
  const refused = { status: 409, body: { error: 'this is the last admin: make another account one first' } }
  for (const headers of [ada.headers, undefined]) {
    expect(await change(ada.accountId, { role: 'member' }, headers)).toMatchObject(refused)
    expect(await change(ada.accountId.toUpperCase(), { role: 'member', plan: 'paid' }, headers)).toMatchObject(refused)
    expect(await remove(ada.accountId, headers)).toMatchObject(refused)
  }
  expect(await change(ada.accountId, { plan: 'paid', role: 'admin' }, ada.headers)).toMatchObject({ status: 200 })
  const ben = await signIn({ role: 'admin' })
  expect((await change(ada.accountId, { role: 'member' }, ada.headers)).status).toBe(200)
  expect((await remove(ben.accountId, ben.headers)).status).toBe(409)
})

test('if parallel requests would leave no admin, one is refused', async () => {
  for (let round = 0; round < 40; round++) {
    await sql`delete from accounts`
    const size = 2 + (round % 3)
    const people = await Promise.all(Array.from({ length: size }, () => signIn({ role: 'admin' })))
    const [first, ...rest] = people
    if (first === undefined) throw new Error('nobody')
    const answers = await Promise.all(
      people.map((person, index) => {
        // Each admin demotes or removes the next one or themselves.
        const target = round % 2 === 0 ? person : ([...rest, first][index] ?? first)
        return (round + index) % 3 === 0 ? remove(target.accountId) : change(target.accountId, { role: 'member' })
      }),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses, `round ${round}`).toEqual([...Array.from({ length: size - 1 }, () => 200), 409])
    expect(await admins(), `round ${round}`).toBe(1)
  }
})

test('racing promotions, demotions and removals never leave the service without an admin and never deadlock', async () => {
  const people = await Promise.all(
    Array.from({ length: 6 }, (_, index) => signIn({ role: index < 3 ? 'admin' : 'member' })),
  )
  for (let round = 0; round < 30; round++) {
    const answers = await Promise.all(
      people.map(({ accountId }, index) => change(accountId, { role: (round + index) % 3 === 0 ? 'admin' : 'member' })),
    )
    for (const { status } of answers) expect(status).toBeOneOf([200, 409])
    expect(await admins()).toBeGreaterThan(0)
  }
})

test('removing an account ends its sessions and keys; a person who signs in again is a member', async () => {
  await signIn({ role: 'admin' })
  const ben = await signIn({ role: 'admin', plan: 'paid' })
  const { key } = (
    await call('/v1/account/keys', { method: 'POST', key: null, headers: ben.headers, body: { name: 'x' } })
  ).body
  expect(await remove(ben.accountId)).toMatchObject({
    status: 200,
    body: { id: ben.accountId, role: 'admin', keys: 1 },
  })
  expect((await call('/v1/account', { key: null, headers: ben.headers })).status).toBe(401)
  expect((await call('/v1/sources', { key })).status).toBe(401)
  expect((await remove(ben.accountId)).status).toBe(404)
})

test('404 for an unknown account; 400 for a value that no account can have', async () => {
  for (const id of [crypto.randomUUID(), 'x']) {
    expect((await change(id, { role: 'admin' })).status).toBe(404)
    expect((await remove(id)).status).toBe(404)
  }
  const { accountId } = await signIn()
  for (const body of [{}, { role: 'owner' }, { plan: null }, { email: 'x@y.example' }]) {
    expect((await change(accountId, body)).status).toBe(400)
  }
  expect((await call('/v1/admin/accounts?limit=501')).status).toBe(400)
  expect((await call('/v1/admin/accounts?after=x')).status).toBe(400)
})
