import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { READY_PEOPLE, startIdentityProvider } from '../../../dev/identity-provider'
import { deleteOldSignInAttempts } from '../../../drizzle/queries/people/sign-in-attempts'
import { isLocalPath } from '../../../src/http/convention/local-path'
import { CALLBACK_PATH, createSignIn } from '../../../src/people/sign-in'
import { createTestApp } from '../test-app'

/* Sign-in with a real OpenID provider on loopback. */
const BASE = 'http://localhost'
const provider = await startIdentityProvider({ redirectUri: `${BASE}${CALLBACK_PATH}` })
afterAll(provider.stop)
const { sql, call } = await createTestApp({
  trustedProxies: 1,
  signIn: (sql) => createSignIn({ sql, provider: provider.identityProvider, redirectUri: `${BASE}${CALLBACK_PATH}` }),
})
beforeEach(async () => {
  await sql`delete from sign_in_attempts`
})

/** A browser's cookies of one site. */
const createJar = () => {
  const cookies = new Map<string, string>()
  return {
    header: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    keep: (headers: Headers) => {
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
    },
    get: (name: string) => cookies.get(name),
    set: (name: string, value: string) => cookies.set(name, value),
  }
}

/** A browser that uses the service and the provider. */
const createBrowser = () => {
  const own = createJar()
  const theirs = createJar()
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await call(path, { key: null, headers: { cookie: own.header(), ...headers } })
    own.keep(answer.headers)
    return answer
  }
  const ask = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: theirs.header() },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    theirs.keep(response.headers)
    return response
  }
  const locationOf = (response: Response) => response.headers.get('location') ?? ''
  /** Follows the redirect from the service to the provider and returns the provider's redirect back: `/auth/callback?...`. */
  const pick = async (url: string, subject: string): Promise<string> => {
    const { origin } = new URL(url)
    let location = locationOf(await ask(url))
    expect(location).toStartWith('/sign-in/')
    const page = await (await ask(origin + location)).text()
    expect(page).toContain('Who are you?')
    expect(page).toContain(`${ada.name}<small>${ada.email} · admin</small>`)
    location = locationOf(await ask(origin + location, { person: subject }))
    const back = locationOf(await ask(location))
    expect(back).toStartWith(`${BASE}${CALLBACK_PATH}?`)
    return back.slice(BASE.length)
  }
  const begin = async (returnTo = '/app/search') =>
    (await get(`/auth/sign-in?return_to=${encodeURIComponent(returnTo)}`)).headers.get('location') ?? ''
  return { own, get, begin, pick }
}

const { admin: ada, member: ben } = READY_PEOPLE

test('a person signs in, gets an account, and signs out', async () => {
  const browser = createBrowser()
  const begun = await browser.get('/auth/sign-in?return_to=%2Fapp%2Fsearch%3Fq%3Dalder')
  expect(begun.status).toBe(302)
  const asked = new URL(begun.headers.get('location') ?? '').searchParams
  expect(Object.fromEntries(asked)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    scope: 'openid email profile',
    redirect_uri: `${BASE}${CALLBACK_PATH}`,
  })
  const back = await browser.get(await browser.pick(begun.headers.get('location') ?? '', ben.subject))
  expect(back.status).toBe(302)
  expect(back.headers.get('location')).toBe('/app/search?q=alder')
  expect(back.headers.get('cache-control')).toBe('no-store')
  expect((await browser.get('/v1/account')).body).toMatchObject({
    ...{ email: ben.email, name: ben.name },
    role: 'member',
    plan: 'free',
  })

  const token = browser.own.get('pds_session')
  const signOut = () =>
    call('/auth/sign-out', { method: 'POST', key: null, headers: { cookie: `pds_session=${token}`, origin: BASE } })
  const out = await signOut()
  expect(out.status).toBe(204)
  expect(out.headers.getSetCookie()).toEqual(['pds_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'])
  expect((await sql`select 1 from sessions`).count).toBe(0)
  expect((await browser.get('/v1/account')).status).toBe(401)
  expect((await signOut()).status).toBe(204)
})

test('a second sign-in finds the same account and updates it from the provider', async () => {
  await sql`update accounts set role = 'admin', name = 'Someone', email = 'old@larkspur.example' where subject = ${ben.subject}`
  const [before] = await sql`select id from accounts where subject = ${ben.subject}`
  const browser = createBrowser()
  await browser.get(await browser.pick(await browser.begin(), ben.subject))
  expect((await browser.get('/v1/account')).body).toMatchObject({
    id: before?.id,
    role: 'admin',
    name: ben.name,
    email: ben.email,
  })
})

test('one browser can sign in different people in turn', async () => {
  const browser = createBrowser()
  for (const person of [ben, ada, ben]) {
    await browser.get(await browser.pick(await browser.begin(), person.subject))
    expect((await browser.get('/v1/account')).body.email).toBe(person.email)
  }
})

test('each sign-in creates a new session id and ends the previous session, so a session cannot be planted', async () => {
  const browser = createBrowser()
  browser.own.set('pds_session', 'f'.repeat(64))
  await browser.get(await browser.pick(await browser.begin(), ben.subject))
  const first = browser.own.get('pds_session') ?? ''
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(first).not.toBe('f'.repeat(64))
  await browser.get(await browser.pick(await browser.begin(), ben.subject))
  const second = browser.own.get('pds_session') ?? ''
  expect(second).not.toBe(first)
  const statusWith = async (token: string) =>
    (await call('/v1/account', { key: null, headers: { cookie: `pds_session=${token}` } })).status
  expect([await statusWith('f'.repeat(64)), await statusWith(first), await statusWith(second)]).toEqual([401, 401, 200])
})

test('a callback link works only in the browser that started the sign-in, once, and in time', async () => {
  const attacker = createBrowser()
  const link = await attacker.pick(await attacker.begin(), ben.subject)
  const victim = createBrowser()
  const refused = { status: 400, body: { error: 'it was not started in this browser, or took longer than 10 minutes' } }
  expect(await victim.get(link)).toMatchObject(refused)
  await victim.begin()
  expect(await victim.get(link)).toMatchObject(refused)
  expect(victim.own.get('pds_session')).toBeUndefined()

  expect((await attacker.get(link)).status).toBe(302)
  expect(await attacker.get(link)).toMatchObject(refused)

  const late = createBrowser()
  const back = await late.pick(await late.begin(), ben.subject)
  await sql`update sign_in_attempts set created_at = now() - interval '10 minutes 1 second'`
  expect(await late.get(back)).toMatchObject(refused)
  expect(await deleteOldSignInAttempts(sql, 100)).toBeGreaterThan(0)
  expect((await sql`select 1 from sign_in_attempts`).count).toBe(0)
})

test('two sign-ins of one browser, in two tabs, both succeed', async () => {
  const browser = createBrowser()
  const [one, two] = [await browser.begin('/one'), await browser.begin('/two')]
  expect((await browser.get(await browser.pick(one, ben.subject))).headers.get('location')).toBe('/one')
  expect((await browser.get(await browser.pick(two, ben.subject))).headers.get('location')).toBe('/two')
})

test('a wrong code, state or issuer and a refusal of the provider are refused', async () => {
  const bend = async (change: (answer: URLSearchParams) => void) => {
    const browser = createBrowser()
    const answer = new URL(await browser.pick(await browser.begin(), ben.subject), BASE)
    change(answer.searchParams)
    return browser.get(`${answer.pathname}?${answer.searchParams}`)
  }
  expect((await bend(() => {})).status).toBe(302)
  expect((await bend((answer) => answer.set('code', 'x'.repeat(43)))).body.error).toBe(
    "the identity provider's response is not valid",
  )
  expect((await bend((answer) => answer.set('state', 'x'))).status).toBe(400)
  expect((await bend((answer) => answer.delete('state'))).status).toBe(400)
  expect((await bend((answer) => answer.set('iss', 'https://evil.example'))).status).toBe(400)
  const denied = await bend((answer) => {
    answer.delete('code')
    answer.set('error', 'access_denied')
    answer.set('error_description', '<script>')
  })
  expect(denied).toMatchObject({ status: 400, body: { error: 'the identity provider says access_denied: <script>' } })
})

test('a browser gets a failure page that escapes all input', async () => {
  const browser = createBrowser()
  const answer = new URL(await browser.pick(await browser.begin(), ben.subject), BASE)
  answer.search = `?error=x&error_description=%3Cscript%3E&iss=${answer.searchParams.get('iss')}&state=${answer.searchParams.get('state')}`
  const page = await browser.get(`${answer.pathname}${answer.search}`, { accept: 'text/html,*/*' })
  expect(page.status).toBe(400)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.text).toContain('&lt;script&gt;')
  expect(page.text).not.toContain('<script>')
})

test('a failure page restarts the sign-in with the original destination, however it failed', async () => {
  const asPage = { accept: 'text/html,*/*' }
  const wanted = '/app/search?q=alder&types=parcels'
  const again = `<a href="/auth/sign-in?return_to=${encodeURIComponent(wanted)}">Try again</a>`
  const browser = createBrowser()
  const denied = new URL(await browser.pick(await browser.begin(wanted), ben.subject), BASE)
  denied.searchParams.delete('code')
  denied.searchParams.set('error', 'access_denied')
  expect((await browser.get(`${denied.pathname}${denied.search}`, asPage)).text).toContain(again)

  const late = await browser.pick(await browser.begin(wanted), ben.subject)
  await sql`update sign_in_attempts set created_at = now() - interval '10 minutes 1 second'`
  expect((await browser.get(late, asPage)).text).toContain(again)
  await deleteOldSignInAttempts(sql, 100)
  expect((await browser.get(late, asPage)).text).toContain('<a href="/auth/sign-in">Try again</a>')

  const none = await createTestApp()
  const unset = await none.call(`/auth/sign-in?return_to=${encodeURIComponent(wanted)}`, { key: null, headers: asPage })
  expect(unset.status).toBe(503)
  expect(unset.text).toContain(again)
})

test('a failure page never restarts the sign-in with a foreign destination', async () => {
  const browser = createBrowser()
  const state = new URL(await browser.begin()).searchParams.get('state')
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '"><script>alert(1)</script>']) {
    await sql`update sign_in_attempts set return_to = ${path}`
    const page = await browser.get(`${CALLBACK_PATH}?state=${state}`, { accept: 'text/html,*/*', cookie: '' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('<a href="/auth/sign-in">Try again</a>')
  }
})

test('cookies are HttpOnly and SameSite; behind HTTPS they are Secure with the __Host- prefix', async () => {
  const baseUrl = 'https://parcels.example'
  const redirectUri = `${baseUrl}${CALLBACK_PATH}`
  const other = await startIdentityProvider({ redirectUri })
  afterAll(other.stop)
  const secure = await createTestApp({
    baseUrl,
    signIn: (sql) => createSignIn({ sql, provider: other.identityProvider, redirectUri }),
  })
  const begun = await secure.call('/auth/sign-in', { key: null })
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-pds_sign_in=[0-9a-f]{64}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
  ])
  const out = await secure.call('/auth/sign-out', { method: 'POST', key: null })
  expect(out.headers.getSetCookie()).toEqual(['__Host-pds_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure'])
  const plain = createBrowser()
  const link = await plain.pick(await plain.begin(), ben.subject)
  expect((await plain.get(link)).headers.getSetCookie()).toEqual([
    expect.stringMatching(/^pds_session=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax$/),
  ])
})

test('a page of another site cannot sign anybody out', async () => {
  const browser = createBrowser()
  await browser.get(await browser.pick(await browser.begin(), ben.subject))
  for (const origin of ['https://evil.example', 'null']) {
    const headers = { cookie: browser.own.header(), origin }
    expect((await call('/auth/sign-out', { method: 'POST', key: null, headers })).status).toBe(403)
  }
  expect((await browser.get('/v1/account')).status).toBe(200)
})

describe('return_to leads only to this service', () => {
  const elsewhere = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e%2e//evil.example',
    'https://evil.example',
    'https:evil.example',
    'https:/evil.example',
    'HTTPS://evil.example',
    'http://localhost@evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    '?next=/',
    '',
    '/\u0000',
    '/ü',
    '/a b',
  ]
  for (const path of elsewhere) {
    test(`${JSON.stringify(path)} is refused`, async () => {
      for (const written of [encodeURIComponent(path), encodeURI(path)]) {
        const { status, headers, body } = await call(`/auth/sign-in?return_to=${written}`, { key: null })
        // Values that a query cannot carry would not arrive unchanged.
        if (status === 302 && written !== encodeURIComponent(path)) continue
        expect(status, written).toBe(400)
        expect(headers.get('location')).toBeNull()
        expect(body.error).toMatch(/return_to must be a path of this service|NUL/)
      }
    })
  }

  test('paths, queries and fragments are accepted; a doubly encoded value stays a path', () => {
    for (const path of [
      '/',
      '/app/search?q=a//b',
      '/app/parcels/1#sales',
      '/%2f%2fevil.example',
      '/%5cevil.example',
      '/%09/evil.example',
      '/@evil.example',
      '/https://evil.example',
    ]) {
      expect(isLocalPath(path), path).toBe(true)
      expect(new URL(path, 'https://parcels.example').origin).toBe('https://parcels.example')
    }
  })

  test('no accepted destination leads a browser to another site', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2f',
      '%5c',
      '%2e',
      '\t',
      '\n',
      '@',
      ':',
      'https:',
      'evil.example',
      '?',
      '#',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 8 }), (pieces) => {
        const path = pieces.join('')
        if (!isLocalPath(path)) return
        const resolved = new URL(path, 'https://parcels.example/auth/callback')
        expect(resolved.origin).toBe('https://parcels.example')
        // Parsed a second time, as some clients do.
        expect(new URL(resolved.pathname, 'https://parcels.example').origin).toBe('https://parcels.example')
      }),
      { numRuns: 5_000 },
    )
  })
})

test('an address may start 20 sign-ins a minute, then gets Retry-After; other addresses are not delayed', async () => {
  const begin = (address: string) => call('/auth/sign-in', { key: null, headers: { 'x-forwarded-for': address } })
  for (let attempt = 0; attempt < 20; attempt++) {
    // Addresses left of the proxy's own entry are from the caller.
    expect((await begin(`192.0.2.${attempt}, 198.51.100.7`)).status).toBe(302)
  }
  const refused = await begin('192.0.2.99, 198.51.100.7')
  expect(refused.status).toBe(429)
  const wait = Number(refused.headers.get('retry-after'))
  expect(wait).toBeWithin(50, 61)
  expect(refused.body.error).toBe(`too many sign-ins from this IP address: try again in ${wait} s`)
  const page = await call('/auth/sign-in?return_to=%2Fmap', {
    key: null,
    headers: { 'x-forwarded-for': '198.51.100.7', accept: 'text/html,*/*;q=0.8' },
  })
  expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  expect(page.headers.get('retry-after')).not.toBeNull()
  expect(page.text).toMatch(/<p>Sign-in failed: too many sign-ins from this IP address: try again in \d+ s\.<\/p>/)
  expect(page.text).toContain('<a href="/auth/sign-in?return_to=%2Fmap">Try again</a>')
  expect((await begin('198.51.100.8')).status).toBe(302)
  await sql`update sign_in_attempts set created_at = created_at - interval '1 minute'`
  expect((await begin('198.51.100.7')).status).toBe(302)
})

test('all addresses of an IPv6 network count as one', async () => {
  const begin = (address: string) => call('/auth/sign-in', { key: null, headers: { 'x-forwarded-for': address } })
  for (let attempt = 0; attempt < 20; attempt++) await begin(`2001:db8:1:2::${attempt.toString(16)}`)
  expect((await begin('2001:db8:1:2:ffff::1')).status).toBe(429)
  expect((await begin('2001:db8:1:3::1')).status).toBe(302)
})

test('an unreachable provider is 503 and is tried again on the next request', async () => {
  let port = 0
  const redirectUri = `${BASE}${CALLBACK_PATH}`
  const squatter = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('', { status: 500 }) })
  port = squatter.port ?? 0
  const other = await createTestApp({
    signIn: (sql) =>
      createSignIn({
        sql,
        provider: {
          issuer: `http://127.0.0.1:${port}`,
          clientId: 'x',
          clientSecret: 'y',
          allowsUnverifiedEmail: false,
        },
        redirectUri,
      }),
  })
  const begin = () => other.call('/auth/sign-in', { key: null })
  const away = { status: 503, body: { error: 'the identity provider is not available, try again shortly' } }
  expect(await begin()).toMatchObject(away)
  await squatter.stop(true)
  expect(await begin()).toMatchObject(away)
  const issuer = `http://127.0.0.1:${port}`
  const back = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }),
  })
  expect((await begin()).headers.get('location')).toStartWith(`${issuer}/auth?`)
  await back.stop(true)
})

test('without a provider the error says so', async () => {
  const none = await createTestApp()
  expect(await none.call('/auth/sign-in', { key: null })).toMatchObject({
    status: 503,
    body: { error: 'sign-in is not set up: the operator must configure an identity provider' },
  })
})

test('a sign-in that starts at another name of this machine is redirected to the name of the callback', async () => {
  const { app } = await createTestApp()
  const response = await app.handle(new Request('http://127.0.0.1/auth/sign-in?return_to=/app/search'))
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('http://localhost/auth/sign-in?return_to=%2Fapp%2Fsearch')
})

test('the embedded provider answers only at its own address', async () => {
  const { issuer } = provider.identityProvider
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`, { headers: { host: 'evil.example' } })
  expect(answer.status).toBe(421)
  expect((await fetch(`${issuer}/sign-in/no-such-one`)).status).toBe(400)
})
