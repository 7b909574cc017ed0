import { afterAll, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { CALLBACK_PATH, createSignIn } from '../../../src/people/sign-in'
import { createTestApp } from '../test-app'

/*
 * A provider with the email claims that a test sets. It has the parts of OpenID Connect Core 1.0 that a sign-in needs: discovery, keys,
 * token endpoint.
 */
const BASE = 'http://localhost'
const CLIENT = { clientId: 'parcels', clientSecret: 'a-secret-of-the-test' }
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
let claims: Record<string, unknown> = {}
let nonce: string | null = null

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const issueIdToken = (issuer: string): string => {
  const now = Math.floor(Date.now() / 1_000)
  const base = { iss: issuer, aud: CLIENT.clientId, sub: 'juniper', nonce, iat: now, exp: now + 60 }
  const text = `${encode({ alg: 'RS256', kid: 'one' })}.${encode({ ...base, ...claims })}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => {
    const { origin, pathname } = new URL(url)
    if (pathname === '/.well-known/openid-configuration') {
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/keys`,
      })
    }
    if (pathname === '/keys') return Response.json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] })
    return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: issueIdToken(origin) })
  },
})
afterAll(() => server.stop(true))

const appWith = (allowsUnverifiedEmail: boolean) =>
  createTestApp({
    signIn: (sql) =>
      createSignIn({
        sql,
        provider: { issuer: `http://127.0.0.1:${server.port}`, ...CLIENT, allowsUnverifiedEmail },
        redirectUri: `${BASE}${CALLBACK_PATH}`,
      }),
  })
const strict = await appWith(false)
const lax = await appWith(true)

/** Signs in with an ID token that has these claims. Returns the response to the callback. */
const signIn = async ({ call }: typeof strict, told: Record<string, unknown>) => {
  claims = { email: 'juniper@larkspur.example', ...told }
  const begun = await call('/auth/sign-in', { key: null })
  const asked = new URL(begun.headers.get('location') ?? '').searchParams
  nonce = asked.get('nonce')
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const answer = new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '' })
  return call(`${CALLBACK_PATH}?${answer}`, { key: null, headers: { cookie } })
}

for (const [what, told] of [
  ['says is not verified', { email_verified: false }],
  ['says nothing of', {}],
] as const) {
  test(`an email that the provider ${what} is refused unless the operator allows it`, async () => {
    expect(await signIn(strict, told)).toMatchObject({
      status: 400,
      body: { error: 'the identity provider has not verified your email (email_verified)' },
    })
    expect((await signIn(lax, told)).status).toBe(302)
  })
}

test('a verified email is accepted, even if the claim is a string', async () => {
  expect((await signIn(strict, { email_verified: true })).status).toBe(302)
  expect((await signIn(strict, { email_verified: 'true' })).status).toBe(302)
})
