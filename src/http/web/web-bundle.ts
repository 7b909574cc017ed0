import { fileURLToPath } from 'node:url'
import { createStaticResponse, IMMUTABLE, type StaticResponse } from '../convention/response/static-response'

const SOURCES = fileURLToPath(new URL('../../web/app/', import.meta.url))

export interface WebBundle {
  /** HTML of the app's page. Every path gets the same page. */
  page: string
  /** Scripts, style sheets and other assets, by path. The names contain a hash of the content. */
  assets: ReadonlyMap<string, StaticResponse>
}

/** Bundles the web app in memory. Code that only some pages need (MapLibre, each page itself) is a separate chunk. */
export const bundleWeb = async (): Promise<WebBundle> => {
  const { outputs } = await Bun.build({
    entrypoints: [`${SOURCES}index.html`],
    root: SOURCES,
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/app/',
    naming: {
      entry: '[dir]/[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const assets = new Map<string, StaticResponse>()
  let page = ''
  for (const output of outputs) {
    if (output.path.endsWith('/index.html')) page = await output.text()
    else
      assets.set(
        `/app/${output.path.replace(/^\.\//, '')}`,
        createStaticResponse(new Uint8Array(await output.arrayBuffer()), {
          'content-type': contentTypeOf(output.path),
          'cache-control': IMMUTABLE,
        }),
      )
  }
  return { page, assets }
}

const contentTypeOf = (path: string): string => {
  if (path.endsWith('.css')) return 'text/css; charset=utf-8'
  if (path.endsWith('.svg')) return 'image/svg+xml'
  if (/\.(geo)?json$/.test(path)) return 'application/json'
  return 'text/javascript; charset=utf-8'
}
