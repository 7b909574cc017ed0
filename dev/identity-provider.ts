import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Account, Configuration, Provider } from 'oidc-provider'
import type { Sql } from '../core/postgres/database'
import { ServiceError } from '../core/service-error'
import type { IdentityProvider } from '../src/config'

/** Invented people who can sign in with the embedded default. */
export const READY_PEOPLE = {
  admin: { subject: 'larkspur-ada', name: 'Ada Juniper', email: 'ada@larkspur.example' },
  member: { subject: 'larkspur-ben', name: 'Ben Alder', email: 'ben@larkspur.example' },
} as const

const CLIENT_ID = 'parcel-data-service'

export interface EmbeddedProvider {
  identityProvider: IdentityProvider
  stop: () => Promise<void>
}

/**
 * An OpenID provider on this machine only: the visitor picks one of two sample users and is signed in as that person. It knows one
 * client, this service, and forgets everything when it stops.
 */
export const startIdentityProvider = async ({ redirectUri }: { redirectUri: string }): Promise<EmbeddedProvider> => {
  // It warns against use in production and under Bun. Neither warning matters here.
  const { warn } = console
  console.warn = () => {}
  try {
    return await startProvider(redirectUri)
  } finally {
    console.warn = warn
  }
}

const startProvider = async (redirectUri: string): Promise<EmbeddedProvider> => {
  const { Provider } = await importProvider()
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = `http://${host}`
  const clientSecret = randomBytes(32).toString('hex')
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [await createSigningKey()] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
    findAccount: (_, subject) => findAccount(subject),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    // A foreign web page whose host name resolves to this machine (DNS rebinding) sends its own host name.
    if (request.headers.host !== host) return void response.writeHead(421).end()
    // Ask again even if someone is signed in, so that one browser can switch between people.
    if (request.url?.startsWith('/auth?')) {
      delete request.headers.cookie
      response.setHeader('set-cookie', ['_session=; Path=/; Max-Age=0; HttpOnly'])
    }
    const uid = /^\/sign-in\/([\w-]+)$/.exec(request.url ?? '')?.[1]
    if (uid === undefined) return void answer(request, response)
    showSignInPage(provider, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(400, PAGE_HEADERS)
      response.end(LAPSED)
    })
  })
  return {
    identityProvider: { issuer, clientId: CLIENT_ID, clientSecret, allowsUnverifiedEmail: false },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * The provider's address changes at every start, but its people keep their accounts. If there is no account yet, this creates the first
 * admin, as an operator of a real installation does with `bun run accounts promote`.
 */
export const prepareAccounts = async (sql: Sql, { issuer }: IdentityProvider): Promise<void> => {
  const { admin } = READY_PEOPLE
  const subjects = Object.values(READY_PEOPLE).map(({ subject }) => subject)
  await sql.begin(async (tx) => {
    await tx`update accounts set issuer = ${issuer} where subject = any(${subjects}) and issuer like 'http://127.0.0.1:%'`
    await tx`
      insert into accounts (issuer, subject, email, name, role, plan)
      select ${issuer}, ${admin.subject}, ${admin.email}, ${admin.name}, 'admin', 'paid'
      where not exists (select from accounts)`
  })
}

/** The provider is missing from an installation without optional dependencies. */
const importProvider = async () => {
  try {
    return await import('oidc-provider')
  } catch (error) {
    throw new ServiceError('embedded_failed', 'oidc-provider is not installed: set OIDC_ISSUER, or install it', {
      cause: error,
    })
  }
}

const createSigningKey = async () => {
  const { privateKey } = await crypto.subtle.generateKey(
    { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
    true,
    ['sign', 'verify'],
  )
  const { key_ops: _, ext: __, ...key } = await crypto.subtle.exportKey('jwk', privateKey)
  return { ...key, kty: 'RSA', use: 'sig', alg: 'RS256' } as NonNullable<Configuration['jwks']>['keys'][number]
}

const findAccount = (subject: string): Account | undefined => {
  const person = Object.values(READY_PEOPLE).find((ready) => ready.subject === subject)
  if (person === undefined) return undefined
  const { name, email } = person
  return { accountId: subject, claims: () => ({ sub: subject, name, email, email_verified: true }) }
}

/** Shows the page on which the visitor picks a person, and handles the form. */
const showSignInPage = async (
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  await provider.interactionDetails(request, response)
  if (request.method === 'POST') {
    const subject = new URLSearchParams(await readText(request)).get('person') ?? ''
    if (findAccount(subject) === undefined) throw new Error('there is no such person')
    await provider.interactionFinished(request, response, { login: { accountId: subject, remember: false } })
    return
  }
  response.writeHead(200, PAGE_HEADERS).end(WHO)
}

const MAX_BYTES = 1_000

const readText = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > MAX_BYTES) throw new Error('the form is too large')
  }
  return text
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
}

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; color: light-dark(#16211d, #e7eeeb); background: light-dark(#f2f4f1, #10171a) }
  body { margin: 0; min-height: 100dvh; display: grid; place-items: center }
  main { box-sizing: border-box; width: min(26rem, 100vw - 24px); padding: 1.75rem; background: light-dark(#fff, #182124); border: 1px solid light-dark(#dce3de, #2b383b); border-radius: 14px }
  h1 { margin: 0; font-size: 1.5rem; line-height: 1.2; letter-spacing: -.02em }
  p, small { color: light-dark(#52615b, #a0b3ad) }
  p { margin: .4rem 0 1.1rem }
  button { display: block; width: 100%; margin-top: .6rem; padding: .7rem 1rem; font: inherit; font-weight: 600; text-align: left; color: inherit; background: none; border: 1px solid light-dark(#7d8c86, #6b7f7d); border-radius: 8px; cursor: pointer }
  button:hover { background: light-dark(#e0f0ec, #1d3a3a) }
  button:focus-visible { outline: 2.5px solid light-dark(#0b6b62, #5bd6bf); outline-offset: 2px }
  small { display: block; font-size: 13px; font-weight: 400 }
</style>
<main>
  <h1>${title}</h1>
${body}
</main>
</html>
`

const WHO = page(
  'Who are you?',
  `  <p>This sign-in is for trying the service on your own machine.</p>
  <form method="post">
${Object.entries(READY_PEOPLE)
  .map(
    ([role, { subject, name, email }]) =>
      `    <button name="person" value="${subject}">${name}<small>${email} · ${role}</small></button>`,
  )
  .join('\n')}
  </form>`,
)

const LAPSED = page('This sign-in has expired', '  <p>Go back and sign in again.</p>')
