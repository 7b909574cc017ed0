import { expect, test } from 'bun:test'
import { deleteEndedSessions, touchSessions } from '../../../drizzle/queries/people/sessions'
import { authorizeAgain, BODY_PATIENCE_MS } from '../../../src/http/callers/auth'
import { startSession } from '../../../src/people/start-session'
import { createTestApp, insertCounty } from '../test-app'

const { app, sql, call, signIn, authenticator } = await createTestApp()
await insertCounty(sql)

const status = async (headers: Record<string, string>, path = '/v1/account') =>
  (await call(path, { key: null, headers })).status

test('only the hash of a session is stored', async () => {
  const { token } = await signIn()
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(JSON.stringify(await sql`select * from sessions`)).not.toContain(token)
})

test('a session ends after 12 hours without use; using it extends it', async () => {
  const ada = await signIn()
  const age = (interval: string) =>
    sql`update sessions set last_seen_at = now() - ${interval}::interval where account_id = ${ada.accountId}`
  await age('11 hours 59 minutes')
  expect(await status(ada.headers)).toBe(200)
  await authenticator.flush()
  const [seen] = await sql`
    select s.last_seen_at > now() - interval '1 minute' as session, a.last_seen_at > now() - interval '1 minute' as account
    from sessions s join accounts a on a.id = s.account_id where a.id = ${ada.accountId}`
  expect(seen).toEqual({ session: true, account: true })
  await age('12 hours 1 second')
  expect(await status(ada.headers)).toBe(401)
  expect(await status(ada.headers, '/v1/sources')).toBe(401)
  expect(await deleteEndedSessions(sql, 100)).toBe(1)
})

test('the last use of an account never moves back, although a process may write uses of its sessions late', async () => {
  const ada = await signIn()
  await sql`update sessions set last_seen_at = now() - interval '2 hours' where account_id = ${ada.accountId}`
  await sql`update accounts set last_seen_at = now() - interval '1 second' where id = ${ada.accountId}`
  const read = () => sql`select last_seen_at from accounts where id = ${ada.accountId}`
  const before = await read()
  const [session] = await sql`select hashed_token as id from sessions where account_id = ${ada.accountId}`
  await touchSessions(sql, [{ id: session?.id, usedAt: new Date(Date.now() - 3_600_000).toISOString() }])
  expect(await read()).toEqual(before)
})

test('a stream of events that a page holds open does not keep its session alive', async () => {
  const ada = await signIn()
  const request = new Request('http://localhost/v1/account', { headers: ada.headers })
  expect((await app.handle(request)).status).toBe(200)
  await authenticator.flush()
  await sql`update sessions set last_seen_at = now() - interval '11 hours' where account_id = ${ada.accountId}`
  await authorizeAgain(request)
  await authenticator.flush()
  const [row] =
    await sql`select last_seen_at < now() - interval '10 hours' as idle from sessions where account_id = ${ada.accountId}`
  expect(row).toEqual({ idle: true })
})

test('a session ends after 7 days, however much it is used, and is then deleted', async () => {
  const ada = await signIn()
  const age = (interval: string) =>
    sql`update sessions set created_at = now() - ${interval}::interval, last_seen_at = now() where account_id = ${ada.accountId}`
  await age('6 days 23 hours 59 minutes')
  expect(await status(ada.headers)).toBe(200)
  expect(await deleteEndedSessions(sql, 100)).toBe(0)
  await age('7 days 1 second')
  expect(await status(ada.headers)).toBe(401)
  expect(await status(ada.headers, '/v1/sources')).toBe(401)
  expect(await deleteEndedSessions(sql, 100)).toBe(1)
})

test('the use of a session is written at most once a minute', async () => {
  const ada = await signIn()
  const [before] = await sql`select xmin::text from sessions where account_id = ${ada.accountId}`
  for (let round = 0; round < 3; round++) {
    await status(ada.headers)
    await authenticator.flush()
  }
  expect(await sql`select xmin::text from sessions where account_id = ${ada.accountId}`).toMatchObject([before])
})

test('the sessions and keys of a deleted account are refused on the next request', async () => {
  const ada = await signIn({ role: 'admin' })
  const { body } = await call('/v1/account/keys', {
    method: 'POST',
    key: null,
    headers: ada.headers,
    body: { name: 'x' },
  })
  expect(await status(ada.headers)).toBe(200)
  await sql`delete from accounts where id = ${ada.accountId}`
  expect(await status(ada.headers)).toBe(401)
  expect(await status(ada.headers, '/v1/sources')).toBe(401)
  expect((await call('/v1/sources', { key: body.key })).status).toBe(401)
})

test('a demoted admin loses admin rights on the next request, in every session', async () => {
  const ada = await signIn({ role: 'admin' })
  const elsewhere = `pds_session=${await startSession(sql, ada.accountId)}`
  const patch = (cookie: string) =>
    call('/v1/sources/elm', {
      method: 'PATCH',
      key: null,
      headers: { cookie, origin: 'http://localhost' },
      body: { active: false },
    })
  expect((await patch(elsewhere)).status).toBe(200)
  await sql`update accounts set role = 'member' where id = ${ada.accountId}`
  for (const cookie of [ada.cookie, elsewhere]) {
    expect(await patch(cookie)).toMatchObject({
      status: 403,
      body: { error: 'this account lacks the capability: admin' },
    })
  }
})

test('a demoted admin cannot complete a request that they began before, by sending its body late', async () => {
  const ada = await signIn({ role: 'admin' })
  const [began, demoted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        began.resolve()
        await demoted.promise
        controller.enqueue(new TextEncoder().encode('{"role":"admin"}'))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { ...ada.headers, 'content-type': 'application/json' }
  const answer = app.handle(
    new Request(`http://localhost/v1/admin/accounts/${ada.accountId}`, { method: 'PATCH', headers, body }),
  )
  await began.promise
  const isLate = Bun.sleep(BODY_PATIENCE_MS + 1)
  await sql`update accounts set role = 'member' where id = ${ada.accountId}`
  await isLate
  demoted.resolve()
  expect((await answer).status).toBe(403)
  expect(await sql`select role from accounts where id = ${ada.accountId}`).toMatchObject([{ role: 'member' }])
})

test('a session cannot change anything in a request from another site or without an Origin', async () => {
  const { cookie } = await signIn({ role: 'admin' })
  const patch = (origin: string | null) =>
    call('/v1/sources/elm', {
      method: 'PATCH',
      key: null,
      headers: { cookie, ...(origin === null ? {} : { origin }) },
      body: { active: true },
    })
  for (const origin of [
    null,
    '',
    'null',
    'https://localhost',
    'http://localhost:81',
    'http://localhost.evil.example',
    'http://evil.example',
    'http://sub.localhost',
    'HTTP://LOCALHOST/',
  ]) {
    expect((await patch(origin)).status, String(origin)).toBe(403)
  }
  expect((await patch('http://localhost')).status).toBe(200)
  expect((await call('/v1/sources', { key: null, headers: { cookie, origin: 'http://evil.example' } })).status).toBe(
    200,
  )
})

test('behind HTTPS, pages of BASE_URL can make changes whatever Host the proxy sends, and only the __Host- cookie is accepted', async () => {
  const secure = await createTestApp({ baseUrl: 'https://parcels.example' })
  const ada = await secure.signIn({ plan: 'paid' })
  expect(ada.cookie).toStartWith('__Host-pds_session=')
  const issue = (headers: Record<string, string>) =>
    secure.call('/v1/account/keys', { method: 'POST', key: null, headers, body: { name: 'x' } })
  expect((await issue(ada.headers)).status).toBe(201)
  expect((await issue({ ...ada.headers, origin: 'https://evil.example' })).status).toBe(403)
  expect((await issue({ ...ada.headers, cookie: `pds_session=${ada.token}` })).status).toBe(401)
})

test('pages from another host name than BASE_URL are refused, except on this machine', async () => {
  const { app, signIn } = await createTestApp({ baseUrl: 'https://parcels.example' })
  const { cookie } = await signIn()
  const issueAt = async (origin: string, from = origin) => {
    const headers = { cookie, origin: from, 'content-type': 'application/json' }
    const request = new Request(`${origin}/v1/account/keys`, { method: 'POST', headers, body: '{"name":"x"}' })
    return (await app.handle(request)).status
  }
  expect(await issueAt('http://parcels.example')).toBe(403)
  expect(await issueAt('https://other.example')).toBe(403)
  expect(await issueAt('http://192.168.1.20:3000')).toBe(403)
  for (const here of ['http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]:3000']) {
    expect(await issueAt(here), here).toBe(201)
    expect(await issueAt(here, 'http://localhost:9'), here).toBe(403)
  }
})

test("a person's actions are stored under the account's short name; admins see the email", async () => {
  const ada = await signIn({ email: 'ada@larkspur.example', role: 'admin', plan: 'paid' })
  const ask = (method: string, path: string, body?: unknown) =>
    call(path, { method, key: null, headers: ada.headers, ...(body === undefined ? {} : { body }) })
  const queued = await ask('POST', '/v1/scrape-jobs', { source: 'elm', source_parcel_id: '1' })
  const id = queued.body.jobs[0].id
  const [stored] = await sql<{ requested_by: string }[]>`select requested_by from scrape_jobs where id = ${id}`
  expect(stored?.requested_by).toMatch(/^account [0-9a-f]{12}$/)
  expect((await ask('DELETE', `/v1/scrape-jobs/${id}`)).body.error_message).toBe('cancelled by ada@larkspur.example')
  await sql`insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
    values ('elm', 1, 8, 4, 8000, 2000)`
  const frozen = await ask('PATCH', '/v1/admin/concurrency/elm', { mode: 'manual', target_concurrency: 2 })
  expect(frozen.body.updated_by).toBe(ada.email)
  const log = await ask('GET', '/v1/admin/tuning-log?vendor=elm')
  expect(log.body.entries[0]).toMatchObject({
    actor: ada.email,
    reason: expect.stringContaining(`set by ${ada.email}`),
  })
})

test('an Idempotency-Key belongs to a person across their sessions', async () => {
  const ada = await signIn({ plan: 'paid' })
  const again = `pds_session=${await startSession(sql, ada.accountId)}`
  const bob = await signIn({ plan: 'paid' })
  const order = (cookie: string) =>
    call('/v1/scrape-jobs', {
      method: 'POST',
      key: null,
      headers: { cookie, origin: 'http://localhost', 'idempotency-key': 'one' },
      body: { source: 'elm', source_parcel_id: '2' },
    })
  expect((await order(ada.cookie)).headers.get('idempotent-replayed')).toBeNull()
  expect((await order(again)).headers.get('idempotent-replayed')).toBe('true')
  expect((await order(bob.cookie)).headers.get('idempotent-replayed')).toBeNull()
})
