import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { hasPage } from '../../../../drizzle/queries/pages/list-pages'
import { decodePageSet, printPageSet } from '../../../scrape/pages/page-set'
import { isPageHash } from '../../../scrape/pages/page-store'
import { authorization } from '../../callers/auth'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, PAGE_HASH, parcelKey } from '../../schemas'

/** Always plain text: a page of a stranger must never be rendered under this service's origin. */
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
}

export const getPageRoute = ({ sql, pageStore, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/parcels/:source/:id/pages/:hash',
    async ({ params }) => {
      const { hash } = params
      if (!isPageHash(hash) || !(await hasPage(sql, params))) throw new HttpError(404, 'not found')
      const bytes = await pageStore.get(hash)
      if (bytes === null) throw new HttpError(404, 'the page is not in PAGES_URL of this process')
      return new Response(printPageSet(await decodePageSet(hash, bytes)), { headers: HEADERS })
    },
    {
      needs: 'admin',
      params: Type.Composite([
        parcelKey,
        Type.Object({ hash: Type.String({ description: '`hash` of a kept page.', examples: [PAGE_HASH] }) }),
      ]),
      response: {
        ...keyedErrors,
        ...notFound,
      },
      detail: {
        tags: ['parcels'],
        summary: 'Get a kept page as text',
        description:
          'The source text of all answers that one scrape received, as `text/plain`. Addresses are without passwords, tokens and session ids. Admins only.',
        operationId: 'getPage',
        responses: {
          200: {
            description: 'The answers, each after a line with its name, address and status.',
            content: { 'text/plain': { schema: { type: 'string' } } },
          },
        },
      },
    },
  )
