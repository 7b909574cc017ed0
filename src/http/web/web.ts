import { Elysia } from 'elysia'
import { once } from '../../../core/concurrency/once'
import { PAGE_MODULES } from '../../web/app/page-paths'
import { HttpError } from '../convention/errors'
import { createStaticResponse, type StaticResponse } from '../convention/response/static-response'
import { CONDITIONAL } from '../schemas'
import { readApiFacts, renderGuide } from './guide'
import { bundleWeb, type WebBundle } from './web-bundle'

/**
 * Everything is loaded from this service, and nothing in the page is inline. MapLibre draws its buttons with data: images.
 * `basemapOrigin`: the origin from which the map may load the operator's base map.
 */
const pagePolicy = (basemapOrigin: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:${basemapOrigin}; worker-src 'self'; connect-src 'self'${basemapOrigin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-cache',
  vary: 'Cookie',
}

/** The theme a person chose. The page is sent in this theme, so that the other one never flashes first. */
const THEME = /(?:^|;\s*)pds_theme=(light|dark)(?:;|$)/

/** Adds the URL of the operator's base map to the page. */
const nameBasemap = (page: string, basemapUrl: string): string =>
  page.replace('</head>', `<meta name="base-map" content="${Bun.escapeHTML(basemapUrl)}"></head>`)

/** Lets the browser fetch a page's scripts together with the app's own, which otherwise requests them only when it runs. */
const preloadScripts = ({ page, scripts }: WebBundle, module: string): string => {
  const links = (scripts.get(module) ?? []).map((path) => `<link rel="modulepreload" href="${path}">`)
  return page.replace('</head>', `${links.join('')}</head>`)
}

/** Responds with a page in the theme of the caller. */
const servePage = (read: () => Promise<string>, basemapUrl: string | null) => {
  const headers = () => {
    const policy = pagePolicy(basemapUrl === null ? '' : ` ${new URL(basemapUrl).origin}`)
    return { ...PAGE_HEADERS, 'content-security-policy': policy }
  }
  /** The page in each theme, created at the first request. */
  const responses = new Map<string, StaticResponse>()

  return async ({ request }: { request: Request }): Promise<Response> => {
    const page = basemapUrl === null ? await read() : nameBasemap(await read(), basemapUrl)
    const theme = THEME.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
    const respond =
      responses.get(theme) ??
      createStaticResponse(theme === '' ? page : page.replace('<html ', `<html data-theme="${theme}" `), headers())
    responses.set(theme, respond)
    return respond(request)
  }
}

/** Addresses that the app redirects to a page. */
const REDIRECTS = /^\/app(?:\/console)?\/?$/

/** The same page with status 404, which the app fills with "Page not found". It must not be stored for the next request. */
const toNotFound = (page: Response): Response => {
  const response = new Response(page.body, { status: 404, headers: page.headers })
  response.headers.delete('etag')
  return response
}

interface Options {
  /** Returns the OpenAPI document as text. */
  openApi: () => Promise<string>
  baseUrl: string
  /** The operator's base map. Null: there is none. */
  basemapUrl?: string | null
  bundleApp?: () => Promise<WebBundle>
}

/**
 * The web app of src/web/app: the same page for every path, with status 404 for paths that the app does not have. Only the guide at
 * /docs is also sent as HTML.
 */
export const webRoutes = ({ openApi, baseUrl, basemapUrl = null, bundleApp = bundleWeb }: Options) => {
  const bundle = once(bundleApp)
  /** The app's pages: they differ in the scripts that they preload. */
  const pages = Object.entries(PAGE_MODULES).map(([path, module]) => ({
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
    serve: servePage(async () => preloadScripts(await bundle(), module), basemapUrl),
  }))
  const servePlain = servePage(async () => (await bundle()).page, basemapUrl)
  const serveApp = async ({ request, path }: { request: Request; path: string }): Promise<Response> => {
    const page = pages.find(({ pattern }) => pattern.test(path))
    if (page !== undefined) return page.serve({ request })
    const response = await servePlain({ request })
    return response.status !== 200 || REDIRECTS.test(path) ? response : toNotFound(response)
  }
  const facts = once(async () => readApiFacts(await openApi(), baseUrl))
  const serveGuide = servePage(
    once(async () => renderGuide(preloadScripts(await bundle(), PAGE_MODULES['/docs']), await facts())),
    null,
  )
  const respondWithFacts = once(async () =>
    createStaticResponse(JSON.stringify(await facts()), {
      'content-type': 'application/json',
      'cache-control': 'public, no-cache',
    }),
  )

  return (
    new Elysia({ normalize: false })
      // Programs that request JSON get 404.
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
      .get('/docs', serveGuide, {
        detail: {
          ...CONDITIONAL,
          tags: ['system'],
          summary: 'The guide to the API, for people',
          description:
            'Examples in curl, TypeScript and Python that can be tried on the page. It can be read without JavaScript.',
          operationId: 'docs',
          security: [],
          responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
        },
      })
      .get('/docs/facts.json', async ({ request }) => (await respondWithFacts())(request), { detail: { hide: true } })
      .get('/map', serveApp, {
        detail: {
          ...CONDITIONAL,
          tags: ['system'],
          summary: 'The map of parcels, for people',
          description: 'A page of the web app. Searches and details need a key or a session.',
          operationId: 'map',
          security: [],
          responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
        },
      })
      .get('/app', serveApp, {
        detail: {
          ...CONDITIONAL,
          tags: ['system'],
          summary: 'The web app, for people',
          description: "Search, parcels, keys, and the operator's console.",
          operationId: 'webApp',
          security: [],
          responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
        },
      })
      .get('/app/*', serveApp, { detail: { hide: true } })
  )
}
