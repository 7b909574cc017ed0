import { type AnyElysia, Elysia } from 'elysia'
import { noteWrites } from './callers/note-writes'
import { allowedMethods } from './convention/allowed-methods'
import { boundBodies } from './convention/body/body-memory'
import { refuseUnfitBody, toErrorResponse } from './convention/errors'
import { createInputSchemas } from './convention/input-schemas'
import { observe } from './convention/observe'
import { keepListed } from './convention/parameters/listed-parameters'
import { pathOf } from './convention/path-of'
import { recordActions } from './convention/record-actions'
import { finishResponses } from './convention/response/finish-response'
import { messagePage, wantsPage } from './convention/response/message-page'
import { requestIdOf } from './convention/response/request-id'
import type { Deps } from './deps'
import { mcpRoutes } from './mcp/routes'
import { ogcRoutes } from './ogc/routes'
import { alertRoutes } from './routes/alerts/routes'
import { listChangesRoute } from './routes/changes/list-changes'
import { concurrencyRoutes } from './routes/concurrency/routes'
import { coverageRoutes } from './routes/coverage'
import { crawlRoutes } from './routes/crawls/routes'
import { entityRoutes } from './routes/entities'
import { eventRoutes } from './routes/events'
import { exportRoutes } from './routes/exports/routes'
import { findingDismissalRoutes } from './routes/findings/finding-dismissals'
import { findingRoutes } from './routes/findings/findings'
import { fileRoutes } from './routes/loads/files/routes'
import { loadRoutes } from './routes/loads/routes'
import { matchRoutes } from './routes/matches/routes'
import { parcelRoutes } from './routes/parcels/routes'
import { accountRoutes } from './routes/people/account/routes'
import { accountsRoutes } from './routes/people/accounts/routes'
import { signInRoutes } from './routes/people/sign-in/sign-in'
import { portfolioRoutes } from './routes/portfolios/routes'
import { scrapeJobRoutes } from './routes/scrape-jobs/routes'
import { scrapeNowRoutes } from './routes/scrape-jobs/scrape-now'
import { searchRoutes } from './routes/search/search'
import { searchIndexRoutes } from './routes/search/search-index'
import { sourceRoutes } from './routes/sources/routes'
import { healthRoutes } from './routes/system/health'
import { selfDescriptionRoutes } from './routes/system/self-description'
import { tileBuildRoutes } from './routes/tiles/tile-builds/routes'
import { tileRoutes } from './routes/tiles/tiles'
import { watchRoutes } from './routes/watches/routes'
import { workRoutes } from './routes/work/routes'
import { answerArchives } from './tiles/archives'
import { webRoutes } from './web/web'

/** Routes that exist with and without /v1. */
const apiRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(sourceRoutes(deps))
    .use(parcelRoutes(deps))
    .use(listChangesRoute(deps))
    .use(searchRoutes(deps))
    .use(entityRoutes(deps))
    .use(findingRoutes(deps))
    .use(findingDismissalRoutes(deps))
    .use(scrapeJobRoutes(deps))
    .use(concurrencyRoutes(deps))
    .use(crawlRoutes(deps))
    .use(exportRoutes(deps))
    .use(workRoutes(deps))
    .use(loadRoutes(deps))
    .use(fileRoutes(deps))
    .use(scrapeNowRoutes(deps))
    .use(eventRoutes(deps))
    .use(watchRoutes(deps))
    .use(matchRoutes(deps))
    .use(portfolioRoutes(deps))
    .use(tileBuildRoutes(deps))
    .use(accountRoutes(deps))
    .use(searchIndexRoutes(deps))
    .use(accountsRoutes(deps))
    .use(coverageRoutes(deps))
    .use(alertRoutes(deps))

/** The routes without /v1. The web app does not use them, so their types are left out, because they are too many for TypeScript. */
const unversionedRoutes = (api: AnyElysia): Elysia => new Elysia({ normalize: false }).use(api)

const routes = (deps: Deps, openApi: () => Promise<string>) => {
  const api = apiRoutes(deps)
  return new Elysia({ normalize: false })
    .use(selfDescriptionRoutes(openApi, deps.baseUrl))
    .use(healthRoutes(deps))
    .use(tileRoutes(deps))
    .use(webRoutes({ openApi, baseUrl: deps.baseUrl, basemapUrl: deps.basemapUrl }))
    .use(signInRoutes(deps))
    .use(ogcRoutes(deps))
    .use(mcpRoutes(deps))
    .group('/v1', (group) => group.use(api))
    .use(unversionedRoutes(api))
}

/** The page that a person sees at a URL that does not exist. */
const NOT_FOUND = {
  title: 'Page not found',
  text: 'There is no page at this URL.',
  links: [
    { href: '/app/search', text: 'Search' },
    { href: '/map', text: 'Map' },
    { href: '/docs', text: 'API' },
  ],
}

/** The whole HTTP service. Call `app.handle(request)` to get a response without a port, or `app.listen` to serve it. */
export const createApp = (deps: Deps) => {
  // Most processes never send the document, and it takes longer to build than all routes. So it is built at the first request.
  const describe = async (): Promise<string> => {
    const { buildOpenApi } = await import('./docs/openapi/build-openapi')
    return JSON.stringify(await buildOpenApi(allRoutes))
  }
  const allRoutes: ReturnType<typeof routes> = routes(deps, describe)
  const schemasOf = createInputSchemas(() => app.routes)
  const app = new Elysia({
    normalize: false,
    // body.ts limits request bodies and responds with a JSON error. Bun's own limit responds without a body, so it is set far above that.
    serve: { maxRequestBodySize: 1024 ** 3, idleTimeout: 30, development: false },
  })
    .wrap(answerArchives(deps))
    .wrap(boundBodies())
    .wrap(finishResponses({ ...deps, listRoutes: (): readonly { path: string }[] => app.routes }))
    .onError({ as: 'global' }, ({ error, code, request, set, query, params, body, route }) => {
      if (code === 'NOT_FOUND') {
        const allowed = allowedMethods(app.routes, pathOf(request))
        if (allowed.length === 0) {
          if (request.method === 'GET' && wantsPage(request)) return messagePage(NOT_FOUND, { status: 404 })
          set.status = 404
          return { error: 'no such route' }
        }
        set.headers.allow = allowed.join(', ')
        set.status = 405
        return { error: `${request.method} is not allowed here; allowed: ${allowed.join(', ')}` }
      }
      const requestLog = deps.log.child({ requestId: requestIdOf(request) })
      const refusal = toErrorResponse({
        error,
        input: { query, params, body },
        schemas: schemasOf(request.method, route),
        log: requestLog,
      })
      set.status = refusal.status
      // Required by RFC 9110, 11.6.1. Browsers do not know this scheme, so they do not show a password prompt.
      if (refusal.status === 401) set.headers['www-authenticate'] = 'ServiceKey'
      return refusal.body
    })
    .onTransform({ as: 'global' }, ({ request, route, query, params, body }) => {
      if (body !== undefined) refuseUnfitBody(schemasOf(request.method, route), { query, params, body })
    })
    // After the key was checked.
    .onBeforeHandle({ as: 'global' }, ({ request, route, query }) => {
      if (!request.url.includes('?')) return
      const schema = schemasOf(request.method, route).query
      if (schema !== undefined) keepListed(query, request.url, schema)
    })
    .use(observe(deps))
    .use(recordActions(deps))
    .use(noteWrites(deps))
    .use(allRoutes)
  return app
}

/** The web app derives its typed API client from this type. */
export type App = ReturnType<typeof createApp>
