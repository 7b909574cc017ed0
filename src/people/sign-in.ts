import { randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { once } from '../../core/concurrency/once'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { type Identity, upsertAccount } from '../../drizzle/queries/people/accounts'
import { insertAttempt, takeAttempt } from '../../drizzle/queries/people/sign-in-attempts'
import type { IdentityProvider } from '../config'
import { discoverProvider } from './discover-provider'
import { hashKey } from './hash-key'
import { startSession } from './start-session'

/** The path to which the identity provider sends browsers back. It must be registered with the provider, below BASE_URL. */
export const CALLBACK_PATH = '/auth/callback'

export interface SignIn {
  /**
   * Returns the URL for the browser's sign-in, and a token that only that browser may have until it returns; or the number of
   * seconds after which this address may try again.
   *
   * @throws ServiceError `server_unavailable` when the provider is down
   */
  begin: (attempt: {
    returnTo: string
    /** The browser's token from an earlier attempt: several may run at the same time. */
    browserToken: string | null
    address: string
  }) => Promise<{ url: URL; browserToken: string } | { retryAfterS: number }>
  /**
   * Completes the attempt with the parameters from the provider's redirect: starts a session of the account, which is created
   * at its first sign-in.
   *
   * @throws ServiceError `sign_in_failed` with the reason; `server_unavailable` when the provider is down
   */
  complete: (answer: {
    query: URLSearchParams
    browserToken: string | null
  }) => Promise<{ sessionToken: string; accountId: string; returnTo: string }>
}

/**
 * Sign-in by OpenID Connect: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, 3.1; RFC 9700, 2.1). An
 * attempt belongs to the browser that began it, so a link cannot sign someone in to another person's account.
 */
export const createSignIn = ({
  sql,
  provider,
  redirectUri,
}: {
  sql: Sql
  provider: IdentityProvider
  redirectUri: string
}): SignIn => {
  const configuration = keepConfiguration(provider)

  return {
    begin: async ({ returnTo, browserToken: known, address }) => {
      const config = await configuration()
      const browserToken = known ?? randomBytes(32).toString('hex')
      const codeVerifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const nonce = client.randomNonce()
      const refused = await insertAttempt(sql, {
        hashedState: hashKey(state),
        hashedBrowser: hashKey(browserToken),
        codeVerifier,
        nonce,
        returnTo,
        address,
      })
      if (refused !== null) return refused
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
      return { url, browserToken }
    },

    complete: async ({ query, browserToken }) => {
      const state = query.get('state')
      const attempt =
        state === null || browserToken === null
          ? null
          : await takeAttempt(sql, { hashedState: hashKey(state), hashedBrowser: hashKey(browserToken) })
      if (state === null || attempt === null) {
        throw new ServiceError('sign_in_failed', 'it was not started in this browser, or took longer than 10 minutes')
      }
      const config = await configuration()
      const answer = new URL(redirectUri)
      answer.search = query.toString()
      const identity = await exchange(config, answer, { ...attempt, state }, provider).catch(throwProviderFailure)
      const accountId = await upsertAccount(sql, identity)
      return { sessionToken: await startSession(sql, accountId), accountId, returnTo: attempt.returnTo }
    },
  }
}

/** The provider's discovery document, fetched once. After a failure, it is fetched again at the next use. */
const keepConfiguration = (provider: IdentityProvider) =>
  once(() =>
    discoverProvider(provider).catch((error) => {
      throw new ServiceError('server_unavailable', 'the identity provider is not available, try again shortly', {
        cause: error,
      })
    }),
  )

/** Exchanges the code for the person's claims. */
const exchange = async (
  config: client.Configuration,
  answer: URL,
  { codeVerifier, nonce, state }: { codeVerifier: string; nonce: string; state: string },
  { allowsUnverifiedEmail }: Pick<IdentityProvider, 'allowsUnverifiedEmail'>,
): Promise<Identity> => {
  const tokens = await client.authorizationCodeGrant(config, answer, {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('the verified id token is missing')
  // Some providers put email and name into the ID token, others return them from the userinfo endpoint.
  const hasEmailClaims = claims.email !== undefined && claims.email_verified !== undefined
  const told =
    !hasEmailClaims && config.serverMetadata().userinfo_endpoint !== undefined
      ? { ...claims, ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)) }
      : claims
  const { email, email_verified, name } = told
  // Accounts are promoted by email, so an unverified address must not sign in. Some providers send the claim as text.
  if (email_verified !== true && email_verified !== 'true' && !allowsUnverifiedEmail) {
    throw new ServiceError('sign_in_failed', 'the identity provider has not verified your email (email_verified)')
  }
  if (typeof email !== 'string' || !email.includes('@')) {
    throw new ServiceError('sign_in_failed', 'the identity provider returned no email')
  }
  return { issuer: claims.iss, subject: claims.sub, email, name: typeof name === 'string' && name !== '' ? name : null }
}

const throwProviderFailure = (error: unknown): never => {
  if (error instanceof ServiceError) throw error
  if (error instanceof client.AuthorizationResponseError) {
    const { error: code, error_description: description } = error
    throw new ServiceError(
      'sign_in_failed',
      `the identity provider says ${code}${description ? `: ${description}` : ''}`,
      {
        cause: error,
      },
    )
  }
  if (error instanceof client.ResponseBodyError || error instanceof client.ClientError) {
    throw new ServiceError('sign_in_failed', "the identity provider's response is not valid", { cause: error })
  }
  throw new ServiceError('server_unavailable', 'the identity provider is not available, try again shortly', {
    cause: error,
  })
}
