import { fileURLToPath } from 'node:url'
import { Elysia } from 'elysia'
import { matchesEtag } from '../conditional'

const SOURCES = fileURLToPath(new URL('../../web/map/', import.meta.url))
/** MapLibre's worker is a file of its own, since a page under this policy starts none from a string. */
const WORKER = fileURLToPath(new URL('maplibre-gl-worker.mjs', import.meta.resolve('maplibre-gl')))

/** All comes from this service, and nothing of the page is inline; MapLibre draws its buttons with data: images. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const script = 'text/javascript; charset=utf-8'
const FILES = [
  ['/map/map.js', `${SOURCES}main.ts`, script],
  ['/map/worker.js', WORKER, script],
  ['/map/map.css', `${SOURCES}map.css`, 'text/css; charset=utf-8'],
] as const

interface Asset {
  text: string
  etag: string
}

const bundle = async (entry: string): Promise<Asset> => {
  const { outputs } = await Bun.build({ entrypoints: [entry], minify: true, target: 'browser' })
  const text = (await outputs[0]?.text()) ?? ''
  return { text, etag: `W/"${Bun.hash.xxHash3(text).toString(36)}"` }
}

/** The map of parcels as a page, made of src/web/map when it is first asked for. */
export const mapRoutes = () => {
  const page = async (request: Request, asset: Asset, contentType: string) => {
    const headers = { 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache', etag: asset.etag }
    return matchesEtag(request.headers.get('if-none-match'), asset.etag)
      ? new Response(null, { status: 304, headers })
      : new Response(asset.text, { headers: { ...headers, 'content-type': contentType } })
  }
  const html = Bun.file(`${SOURCES}index.html`)
  const routes = new Elysia({ normalize: false }).get(
    '/map',
    async ({ request }) => {
      const text = await html.text()
      const etag = `W/"${Bun.hash.xxHash3(text).toString(36)}"`
      return page(request, { text, etag }, 'text/html; charset=utf-8')
    },
    {
      detail: {
        tags: ['system'],
        summary: 'The map of parcels, for people',
        operationId: 'map',
        security: [],
        responses: { 200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } } },
      },
    },
  )
  for (const [path, entry, contentType] of FILES) {
    let bundled: Promise<Asset> | undefined
    routes.get(
      path,
      async ({ request }) => {
        bundled ??= bundle(entry)
        return page(request, await bundled, contentType)
      },
      { detail: { hide: true } },
    )
  }
  return routes
}
