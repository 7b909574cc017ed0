import { Elysia } from 'elysia'
import { HttpError } from '../convention/errors'
import { createStaticAnswer, type StaticAnswer } from '../convention/static-answer'
import { bundleWeb, type WebBundle } from '../web-bundle'

/** All comes from this service, and nothing of the page is inline; MapLibre draws its buttons with data: images. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-cache',
  vary: 'Cookie',
}

/** What a person chose with the toggle; the page comes in it, so that none flashes in the other one first. */
const THEME = /(?:^|;\s*)pds_theme=(light|dark)(?:;|$)/

/**
 * The web app of src/web/app, every path of which is the same page, and the map of src/web/map; bundled when they are first asked for,
 * or again after that failed.
 */
export const webRoutes = (bundleApp: () => Promise<WebBundle> = bundleWeb) => {
  let bundled: Promise<WebBundle> | undefined
  const bundle = () => {
    bundled ??= bundleApp().catch((error) => {
      bundled = undefined
      throw error
    })
    return bundled
  }

  /** Each page in each theme, once it was asked for. */
  const pages = new Map<string, StaticAnswer>()

  const answerPage = async (name: keyof WebBundle['pages'], request: Request): Promise<Response> => {
    const page = (await bundle()).pages[name]
    const theme = THEME.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
    const answer =
      pages.get(name + theme) ??
      createStaticAnswer(theme === '' ? page : page.replace('<html ', `<html data-theme="${theme}" `), PAGE_HEADERS)
    pages.set(name + theme, answer)
    return answer(request)
  }

  return (
    new Elysia({ normalize: false })
      // Programs that ask for JSON are told, as ever, that there is nothing here.
      .get(
        '/',
        ({ request, set }) => {
          set.headers.vary = 'Accept'
          if (!request.headers.get('accept')?.includes('text/html')) throw new HttpError(404, 'no such route')
          return new Response(null, { status: 302, headers: { location: '/app/search' } })
        },
        { detail: { hide: true } },
      )
      .get(
        '/app/assets/:file',
        async ({ request, path }) => {
          const asset = (await bundle()).assets.get(path)
          if (asset === undefined) throw new HttpError(404, 'no such route')
          return asset(request)
        },
        { detail: { hide: true } },
      )
      .get('/map', ({ request }) => answerPage('map', request), {
        detail: {
          tags: ['system'],
          summary: 'The map of parcels, for people',
          description: 'It asks for a key, unless somebody is signed in.',
          operationId: 'map',
          security: [],
          responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
        },
      })
      .get('/app', ({ request }) => answerPage('app', request), {
        detail: {
          tags: ['system'],
          summary: 'The web app, for people',
          description: "Search, parcels, keys, and the operator's console.",
          operationId: 'webApp',
          security: [],
          responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
        },
      })
      .get('/app/*', ({ request }) => answerPage('app', request), { detail: { hide: true } })
  )
}
