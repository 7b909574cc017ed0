import { expect, test } from 'bun:test'
import { createTestApp } from '../../test-app'

const { sql, call, signIn, authenticator, readKey } = await createTestApp()

const as =
  (headers: Record<string, string>) =>
  (path: string, method = 'GET', body?: unknown) =>
    call(path, { method, key: null, headers, ...(body === undefined ? {} : { body }) })

test('200: a signed-in person sees their account; 401 without a session', async () => {
  const ada = await signIn({ email: 'ada@larkspur.example' })
  const { status, body, headers } = await as(ada.headers)('/v1/account')
  expect(status).toBe(200)
  expect(body).toEqual({
    id: ada.accountId,
    email: 'ada@larkspur.example',
    name: null,
    role: 'member',
    plan: 'free',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  expect(headers.get('cache-control')).toBe('no-store')
  for (const cookie of ['', 'pds_session=', `pds_session=${'0'.repeat(64)}`, `x=1; pds_sessionn=${ada.token}`]) {
    expect(await as({ cookie })('/v1/account')).toMatchObject({ status: 401, body: { error: 'not signed in' } })
  }
})

test('an API key has no account and cannot issue keys', async () => {
  const ada = await signIn()
  const { body } = await as(ada.headers)('/v1/account/keys', 'POST', { name: 'mine' })
  for (const key of [body.key, await readKey(), undefined]) {
    for (const [path, method] of [
      ['/v1/account', 'GET'],
      ['/v1/account/keys', 'GET'],
      ['/v1/account/keys', 'POST'],
      [`/v1/account/keys/${body.id}`, 'DELETE'],
    ] as const) {
      const options = {
        method,
        ...(key === undefined ? {} : { key }),
        ...(method === 'POST' ? { body: { name: 'x' } } : {}),
      }
      expect((await call(path, options)).status, `${method} ${path}`).toBe(401)
    }
  }
})

test('a session has the capabilities of its account: read; enqueue on a paid plan; admin in that role', async () => {
  const order = { source: 'nowhere', source_parcel_id: '1' }
  const tries = async (headers: Record<string, string>) => {
    const ask = as(headers)
    return [
      (await ask('/v1/sources')).status,
      (await ask('/v1/scrape-jobs', 'POST', order)).status,
      (await ask('/v1/sources/nowhere', 'PATCH', { active: true })).status,
    ]
  }
  expect(await tries((await signIn()).headers)).toEqual([200, 403, 403])
  expect(await tries((await signIn({ plan: 'paid' })).headers)).toEqual([200, 404, 403])
  expect(await tries((await signIn({ role: 'admin' })).headers)).toEqual([200, 404, 404])
})

test('a key in the header takes precedence over a session, even an invalid key', async () => {
  const admin = await signIn({ role: 'admin' })
  const key = await readKey()
  const body = { active: true }
  expect((await call('/v1/sources/nowhere', { method: 'PATCH', key, headers: admin.headers, body })).status).toBe(403)
  expect((await call('/v1/sources', { key: 'pk_no_such_key', headers: admin.headers })).status).toBe(401)
})

test('a person issues a key, which is shown once and works until its owner revokes it', async () => {
  const ada = as((await signIn()).headers)
  const issued = await ada('/v1/account/keys', 'POST', { name: '  county map ' })
  expect(issued.status).toBe(201)
  expect(issued.headers.get('cache-control')).toBe('no-store')
  expect(issued.body).toEqual({
    id: expect.any(String),
    name: 'county map',
    capabilities: ['read'],
    created_at: expect.any(String),
    key: expect.stringMatching(/^pk_[0-9a-f]{64}$/),
  })
  const { id, key } = issued.body
  expect((await call('/v1/sources', { key })).status).toBe(200)
  await authenticator.flush()

  const listed = await ada('/v1/account/keys')
  expect(listed.text).not.toContain(key.slice(3))
  expect(listed.body).toEqual({
    count: 1,
    keys: [
      {
        id,
        name: 'county map',
        capabilities: ['read'],
        created_at: issued.body.created_at,
        last_used_at: expect.any(String),
        revoked_at: null,
        rotation_due: false,
      },
    ],
  })

  const revoked = await ada(`/v1/account/keys/${id}`, 'DELETE')
  expect(revoked).toMatchObject({ status: 200, body: { id, revoked_at: expect.any(String), rotation_due: false } })
  expect((await call('/v1/sources', { key })).status).toBe(401)
  // Both requests may be in the same millisecond.
  await sql`update api_keys set revoked_at = '2026-01-02T03:04:05.678Z' where id = ${id}`
  expect((await ada(`/v1/account/keys/${id}`, 'DELETE')).body).toEqual({
    ...revoked.body,
    revoked_at: '2026-01-02T03:04:05.678Z',
  })
})

test('valid keys are listed first, then revoked ones, each newest first', async () => {
  const ada = as((await signIn()).headers)
  const ids: Record<string, string> = {}
  for (const name of ['a', 'b', 'c', 'd']) ids[name] = (await ada('/v1/account/keys', 'POST', { name })).body.id
  for (const name of ['b', 'd']) await ada(`/v1/account/keys/${ids[name]}`, 'DELETE')
  const { keys } = (await ada('/v1/account/keys')).body
  expect(keys.map(({ name }: { name: string }) => name)).toEqual(['c', 'a', 'd', 'b'])
})

test("a person can neither see nor revoke another person's key", async () => {
  const ada = as((await signIn()).headers)
  const eve = as((await signIn({ role: 'admin' })).headers)
  const { id, key } = (await ada('/v1/account/keys', 'POST', { name: 'mine' })).body
  expect((await eve('/v1/account/keys')).body.keys).toEqual([])
  for (const other of [id, crypto.randomUUID(), 'not-a-uuid']) {
    expect((await eve(`/v1/account/keys/${other}`, 'DELETE')).status).toBe(404)
  }
  expect((await call('/v1/sources', { key })).status).toBe(200)
})

test('a key with the enqueue capability needs a paid plan, and loses it with the plan', async () => {
  const ada = await signIn()
  const ask = as(ada.headers)
  const wanted = { name: 'nightly', capabilities: ['enqueue'] }
  expect(await ask('/v1/account/keys', 'POST', wanted)).toMatchObject({
    status: 403,
    body: { error: 'keys that may request scrapes (enqueue) or exports (bulk-export) need a paid plan' },
  })
  const setPlan = (plan: string) => sql`update accounts set plan = ${plan}::account_plan where id = ${ada.accountId}`
  await setPlan('paid')
  const { key, capabilities } = (await ask('/v1/account/keys', 'POST', wanted)).body
  expect(capabilities).toEqual(['read', 'enqueue'])
  const order = async () =>
    (await call('/v1/scrape-jobs', { method: 'POST', key, body: { source: 'nowhere', source_parcel_id: '1' } })).status
  expect(await order()).toBe(404)
  await setPlan('free')
  expect(await order()).toBe(403)
  expect((await ask('/v1/account/keys')).body.keys[0].capabilities).toEqual(['read'])
  await setPlan('paid')
  expect(await order()).toBe(404)
})

test('a person cannot issue an admin key or more than 50 valid keys, even with parallel requests', async () => {
  const ask = as((await signIn({ role: 'admin', plan: 'paid' })).headers)
  expect((await ask('/v1/account/keys', 'POST', { name: 'x', capabilities: ['admin'] })).status).toBe(400)
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => ask('/v1/account/keys', 'POST', { name: `key ${index}` })),
  )
  expect(answers.filter(({ status }) => status === 201).length).toBe(50)
  const refused = answers.filter(({ status }) => status === 409)
  expect(refused.length).toBe(10)
  expect(refused[0]?.body.error).toBe('an account can have at most 50 valid keys: revoke one first')
  await ask(`/v1/account/keys/${answers.find(({ status }) => status === 201)?.body.id}`, 'DELETE')
  expect((await ask('/v1/account/keys', 'POST', { name: 'in its place' })).status).toBe(201)
})

test('a key is due for rotation after 90 days unless it is revoked', async () => {
  const ask = as((await signIn()).headers)
  const { id } = (await ask('/v1/account/keys', 'POST', { name: 'old' })).body
  const due = async () => (await ask('/v1/account/keys')).body.keys[0].rotation_due
  await sql`update api_keys set created_at = now() - interval '89 days' where id = ${id}`
  expect(await due()).toBe(false)
  await sql`update api_keys set created_at = now() - interval '91 days' where id = ${id}`
  expect(await due()).toBe(true)
  await ask(`/v1/account/keys/${id}`, 'DELETE')
  expect(await due()).toBe(false)
})

test('repeating a request for a key neither issues a second key nor shows the first again, because keys are not stored', async () => {
  const { headers } = await signIn()
  const post = () =>
    call('/v1/account/keys', {
      method: 'POST',
      key: null,
      headers: { ...headers, 'idempotency-key': 'again' },
      body: { name: 'x' },
    })
  const [first, second] = [await post(), await post()]
  expect(first.status).toBe(201)
  expect(second.status).toBe(409)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.body.error).toContain(`already issued the key ${first.body.id}`)
  expect((await sql`select 1 from api_keys where id > ${first.body.id}`).count).toBe(0)
  expect((await sql`select 1 from idempotency_keys where body like '%pk_%'`).count).toBe(0)
})

test("a key's name is not blank and has at most 100 characters", async () => {
  const ask = as((await signIn()).headers)
  for (const name of ['', '   ', 'x'.repeat(101), 'a\nb', 7, null]) {
    expect((await ask('/v1/account/keys', 'POST', { name })).status, String(name)).toBe(400)
  }
})
