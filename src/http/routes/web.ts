import { Elysia } from 'elysia'
import Negotiator from 'negotiator'
import { matchesEtag } from '../conditional'
import { HttpError } from '../errors'
import { bundleWeb, type WebAsset, type WebBundle } from '../web-bundle'

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
  vary: 'Cookie, Accept-Encoding',
}

/** The names of assets change with their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

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

  const answerPage = async (name: keyof WebBundle['pages'], request: Request): Promise<Response> => {
    const page = (await bundle()).pages[name]
    const theme = THEME.exec(request.headers.get('cookie') ?? '')?.[1]
    const html = theme === undefined ? page : page.replace('<html ', `<html data-theme="${theme}" `)
    const etag = `W/"${Bun.hash.xxHash3(html).toString(36)}"`
    const headers = { ...PAGE_HEADERS, etag }
    return matchesEtag(request.headers.get('if-none-match'), etag)
      ? new Response(null, { status: 304, headers })
      : new Response(html, { headers })
  }

  const answerAsset = async (request: Request, asset: WebAsset): Promise<Response> => {
    const headers = { 'content-type': asset.contentType, 'cache-control': IMMUTABLE, vary: 'Accept-Encoding' }
    const asked = request.headers.get('accept-encoding') ?? ''
    const [encoding] = new Negotiator({ headers: { 'accept-encoding': asked } }).encodings(['zstd', 'gzip'])
    return encoding === 'zstd' || encoding === 'gzip'
      ? new Response(await asset.compress(encoding), { headers: { ...headers, 'content-encoding': encoding } })
      : new Response(asset.bytes, { headers })
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
          return answerAsset(request, asset)
        },
        { detail: { hide: true } },
      )
      .get('/map', ({ request }) => answerPage('map', request), {
        detail: {
          tags: ['system'],
          summary: 'The map of parcels, for people',
          operationId: 'map',
          security: [],
          responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
        },
      })
      .get('/app', ({ request }) => answerPage('app', request), {
        detail: {
          tags: ['system'],
          summary: 'The web app, for people',
          operationId: 'webApp',
          security: [],
          responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
        },
      })
      .get('/app/*', ({ request }) => answerPage('app', request), { detail: { hide: true } })
  )
}
