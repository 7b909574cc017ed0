import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { authorization, principalOf } from '../callers/auth'
import { callerOf } from '../callers/caller-of'
import { onlyReads } from '../callers/note-writes'
import { requesterOf } from '../callers/requester-of'
import { HttpError } from '../convention/errors'
import type { Deps } from '../deps'

/**
 * The Model Context Protocol over streamable HTTP. It has no sessions and sends no unsolicited messages, so there is only POST. Clients
 * understand the 405 for other methods.
 */
export const mcpRoutes = (deps: Deps) =>
  new Elysia({ normalize: false }).use(authorization(deps.authenticator)).post(
    '/mcp',
    async ({ request, body }) => {
      if (Array.isArray(body)) throw new HttpError(400, 'the body must be one message; batches are not accepted')
      const { answerMessage, changesNothing } = await import('./server')
      if (changesNothing(body)) onlyReads(request)
      return answerMessage(request, body, {
        capability: principalOf(request).capability,
        context: { deps, caller: callerOf(request), requester: requesterOf(request) },
        log: deps.log,
      })
    },
    { needs: 'read', body: Type.Unknown(), detail: { hide: true } },
  )
