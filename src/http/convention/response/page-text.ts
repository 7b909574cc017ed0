import type { PageSet } from '../../../scrape/pages/page-set'
import { printPageSet } from '../../../scrape/pages/page-set'

/** Always plain text, because a foreign page must never be rendered under this service's origin. */
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
}

/** The pages of a portal as text. */
export const pageTextResponse = (set: PageSet): Response => new Response(printPageSet(set), { headers: HEADERS })

/** The response in the OpenAPI document. */
export const PAGE_TEXT_RESPONSE = {
  200: {
    description: 'The responses of the portal, each after a line with its name, URL and status.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
} as const
