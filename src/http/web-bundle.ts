import { fileURLToPath } from 'node:url'
import { createStaticAnswer, IMMUTABLE, type StaticAnswer } from './convention/static-answer'

const SOURCES = fileURLToPath(new URL('../web/', import.meta.url))
const PAGES = ['app', 'map'] as const

export interface WebBundle {
  /** The app's one page, for every path of it, and the map's, as HTML. */
  pages: Readonly<Record<(typeof PAGES)[number], string>>
  /** Scripts, style sheets and other parts, by path. The names change with the content. */
  assets: ReadonlyMap<string, StaticAnswer>
}

/** The web app and the map, bundled in memory. What only some pages need (MapLibre, each page itself) is a chunk of its own. */
export const bundleWeb = async (): Promise<WebBundle> => {
  const { outputs } = await Bun.build({
    entrypoints: PAGES.map((name) => `${SOURCES}${name}/index.html`),
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
  const assets = new Map<string, StaticAnswer>()
  const pages = { app: '', map: '' }
  for (const output of outputs) {
    const name = PAGES.find((page) => output.path.endsWith(`${page}/index.html`))
    if (name !== undefined) pages[name] = await output.text()
    else
      assets.set(
        `/app/${output.path.replace(/^\.\//, '')}`,
        createStaticAnswer(new Uint8Array(await output.arrayBuffer()), {
          'content-type': contentTypeOf(output.path),
          'cache-control': IMMUTABLE,
        }),
      )
  }
  return { pages, assets }
}

const contentTypeOf = (path: string): string => {
  if (path.endsWith('.css')) return 'text/css; charset=utf-8'
  if (path.endsWith('.svg')) return 'image/svg+xml'
  return 'text/javascript; charset=utf-8'
}
