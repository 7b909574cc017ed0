import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Logger } from 'pino'
import { isLoopbackName } from '../../../../../core/network/loopback'
import { ServiceError } from '../../../../../core/service-error'
import { deleteSession } from '../../../../../drizzle/queries/people/sessions'
import { findReturnTo } from '../../../../../drizzle/queries/people/sign-in-attempts'
import { hashKey } from '../../../../people/hash-key'
import { CALLBACK_PATH } from '../../../../people/sign-in'
import { clientAddress } from '../../../callers/client-address'
import { cookieName, readCookie, SESSION_COOKIE, SIGN_IN_COOKIE, writeCookie } from '../../../callers/cookies'
import { refuseOtherOrigins } from '../../../callers/same-origin'
import { HttpError } from '../../../convention/errors'
import { isLocalPath } from '../../../convention/local-path'
import { wantsPage } from '../../../convention/response/message-page'
import type { Deps } from '../../../deps'
import { NO_IDEMPOTENCY_KEY, query } from '../../../schemas'
import { failurePage } from './failure-page'

/** Lifetime of a sign-in attempt. */
const SIGN_IN_COOKIE_S = 600
const BROWSER_TOKEN = /^[0-9a-f]{64}$/

const PRIVATE = { 'cache-control': 'no-store' }

const detail = { tags: ['account'], security: [] }
const errors = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, { description: '' }]))
/** Strict OpenAPI readers reject an operation without a 2XX response unless it has a default response. */
const OTHERWISE = { default: { description: 'No other responses.' } }

const localPath = t.Optional(
  Type.String({
    maxLength: 2_000,
    description: 'Path of this service to open after sign-in.',
    byDefault: '/',
    examples: ['/app/search'],
  }),
)

export const signInRoutes = ({ sql, signIn, baseUrl, trustedProxies, log }: Deps) => {
  const getSignIn = () => {
    if (signIn !== null) return signIn
    throw new ServiceError(
      'server_unavailable',
      'sign-in is not set up: the operator must configure an identity provider',
    )
  }
  const browserTokenOf = (request: Request): string | null => {
    const token = readCookie(request, cookieName(SIGN_IN_COOKIE, baseUrl))
    return token !== null && BROWSER_TOKEN.test(token) ? token : null
  }

  return new Elysia({ normalize: false })
    .get(
      '/auth/sign-in',
      ({ query: { return_to: returnTo = '/' }, request, server }) =>
        showFailures(request, { log, readReturnTo: async () => returnTo }, async () => {
          if (!isLocalPath(returnTo)) {
            throw new HttpError(400, 'return_to must be a path of this service, such as /app/search')
          }
          if (isOtherLoopbackName(request, baseUrl)) {
            return redirect(`${baseUrl}/auth/sign-in?return_to=${encodeURIComponent(returnTo)}`)
          }
          const address = clientAddress(request, server?.requestIP(request)?.address ?? null, trustedProxies)
          const started = await getSignIn().begin({ returnTo, browserToken: browserTokenOf(request), address })
          if ('retryAfterS' in started) return tooMany(request, started.retryAfterS, returnTo)
          const cookie = writeCookie(SIGN_IN_COOKIE, started.browserToken, { baseUrl, maxAgeS: SIGN_IN_COOKIE_S })
          return redirect(started.url.href, cookie)
        }),
      {
        query: query({ return_to: localPath }),
        detail: {
          ...detail,
          summary: 'Sign in',
          description:
            'For browsers. Redirects to the identity provider, and from there back to `return_to` with a session.',
          operationId: 'signIn',
          responses: {
            302: { description: 'Redirect to the identity provider.' },
            ...errors(400, 429, 500, 503),
            ...OTHERWISE,
          },
        },
      },
    )
    .get(
      CALLBACK_PATH,
      ({ request }) =>
        showFailures(request, { log, readReturnTo: () => returnToOfAttempt(request) }, async () => {
          const { searchParams } = new URL(request.url)
          const browserToken = browserTokenOf(request)
          const { sessionToken, accountId, returnTo } = await getSignIn().complete({
            query: searchParams,
            browserToken,
          })
          // End the browser's old session, so that no session that an attacker set survives (session fixation).
          await endSession(request)
          log.info({ accountId }, 'signed in')
          return redirect(returnTo, writeCookie(SESSION_COOKIE, sessionToken, { baseUrl }))
        }),
      {
        detail: {
          ...detail,
          summary: 'Sign-in callback',
          description: 'The identity provider redirects browsers here.',
          operationId: 'signInCallback',
          responses: {
            302: { description: 'Signed in. Redirect to `return_to`.' },
            ...errors(400, 500, 503),
            ...OTHERWISE,
          },
        },
      },
    )
    .post(
      '/auth/sign-out',
      async ({ request }) => {
        await endSession(request)
        const cookie = writeCookie(SESSION_COOKIE, '', { baseUrl, maxAgeS: 0 })
        return new Response(null, { status: 204, headers: { ...PRIVATE, 'set-cookie': cookie } })
      },
      {
        parse: 'none',
        detail: {
          ...detail,
          ...NO_IDEMPOTENCY_KEY,
          summary: 'Sign out',
          description: 'Ends the session of the cookie, if there is one. Requests from pages of other sites get 403.',
          operationId: 'signOut',
          responses: { 204: { description: 'Signed out.' }, ...errors(403, 500, 503) },
        },
      },
    )

  async function returnToOfAttempt(request: Request): Promise<string | null> {
    const state = new URL(request.url).searchParams.get('state')
    return state === null ? null : findReturnTo(sql, hashKey(state))
  }

  /** @throws HttpError 403 when a page of another site sent the request */
  async function endSession(request: Request): Promise<void> {
    const token = readCookie(request, cookieName(SESSION_COOKIE, baseUrl))
    if (token === null) return
    refuseOtherOrigins(request, baseUrl)
    await deleteSession(sql, hashKey(token))
  }
}

const redirect = (location: string, cookie?: string): Response =>
  new Response(null, {
    status: 302,
    headers: { ...PRIVATE, location, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
  })

const tooMany = (request: Request, retryAfterS: number, returnTo: string): Response => {
  const error = `too many sign-ins from this IP address: try again in ${retryAfterS} s`
  const init = { status: 429, headers: { ...PRIVATE, 'retry-after': String(retryAfterS) } }
  return wantsPage(request) ? failurePage(error, returnTo, init) : Response.json({ error }, init)
}

/**
 * Whether the request uses a different loopback name than BASE_URL. On the local machine the service has several names, and browsers
 * keep separate cookies for each. The callback goes to BASE_URL, so the sign-in must start there too.
 */
const isOtherLoopbackName = (request: Request, baseUrl: string): boolean => {
  const [asked, own] = [new URL(request.url).hostname, new URL(baseUrl).hostname]
  return asked !== own && isLoopbackName(asked) && isLoopbackName(own)
}

/**
 * Shows a failed sign-in as a page to browsers and as JSON to other clients. `readReturnTo` returns the unchecked `return_to` of the
 * attempt, or null.
 */
const showFailures = async (
  request: Request,
  { log, readReturnTo }: { log: Logger; readReturnTo: () => Promise<string | null> },
  answer: () => Promise<Response>,
): Promise<Response> => {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // Log only the message of the cause: the rest may contain personal data from the provider.
    const { message: reason, cause } = error
    log.warn({ reason, cause: cause instanceof Error ? cause.message : undefined }, 'sign-in failed')
    if (!wantsPage(request)) throw error
    const status = error.code === 'sign_in_failed' ? 400 : 503
    return failurePage(reason, await readReturnTo(), { status, headers: PRIVATE })
  }
}
