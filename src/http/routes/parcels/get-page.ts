import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { hasPage } from '../../../../drizzle/queries/pages/list-pages'
import { decodePageSet } from '../../../scrape/pages/page-set'
import { isPageHash } from '../../../scrape/pages/page-store'
import { authorization } from '../../callers/auth'
import { HttpError } from '../../convention/errors'
import { PAGE_TEXT_RESPONSE, pageTextResponse } from '../../convention/response/page-text'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, PAGE_HASH, parcelKey } from '../../schemas'

export const getPageRoute = ({ sql, pageStore, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/parcels/:source/:id/pages/:hash',
    async ({ params }) => {
      const { hash } = params
      if (!isPageHash(hash) || !(await hasPage(sql, params))) throw new HttpError(404, 'not found')
      const bytes = await pageStore.get(hash)
      if (bytes === null) throw new HttpError(404, 'the page is not in PAGES_URL of this process')
      return pageTextResponse(await decodePageSet(hash, bytes))
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
          'The source text of all responses that one scrape received, as `text/plain`. Passwords, tokens and session ids are removed from URLs. Admins only.',
        operationId: 'getPage',
        responses: PAGE_TEXT_RESPONSE,
      },
    },
  )
