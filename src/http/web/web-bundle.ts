import { fileURLToPath } from 'node:url'
import { createStaticResponse, IMMUTABLE, type StaticResponse } from '../convention/response/static-response'

const SOURCES = fileURLToPath(new URL('../../web/app/', import.meta.url))

export interface WebBundle {
  /** HTML of the app's page. Every path gets the same page. */
  page: string
  /** Scripts, style sheets and other assets, by path. The names contain a hash of the content. */
  assets: ReadonlyMap<string, StaticResponse>
  /** Paths of the scripts that a page of the app needs next to the app's own, by the page's module (page-paths.ts). */
  scripts: ReadonlyMap<string, readonly string[]>
}

/** Bundles the web app in memory. Code that only some pages need (MapLibre, each page itself) is a separate chunk. */
export const bundleWeb = async (): Promise<WebBundle> => {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [`${SOURCES}index.html`],
    root: SOURCES,
    target: 'browser',
    minify: true,
    splitting: true,
    // Most pages share a few small parts. Without this, each part is a file, and a browser requests six at a time over HTTP/1.1.
    minChunkSize: 16_384,
    metafile: true,
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
  return { page, assets, scripts: listScripts(metafile) }
}

/** The scripts of each page: its own, and those that it imports. */
const listScripts = (metafile: Bun.BuildMetafile | undefined): Map<string, string[]> => {
  const outputs = metafile?.outputs ?? {}
  /** The app's own script is in the page, and imports none. */
  const collect = (path: string, found: Set<string>): Set<string> => {
    if (found.has(path) || outputs[path]?.entryPoint?.endsWith('.html')) return found
    found.add(path)
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') collect(imported, found)
    }
    return found
  }
  return new Map(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) => {
      const module = /\/web\/app\/pages\/(.+)\.tsx$/.exec(entryPoint ?? '')?.[1]
      return module === undefined
        ? []
        : [[module, [...collect(path, new Set())].map((file) => file.replace('./', '/app/'))]]
    }),
  )
}

const contentTypeOf = (path: string): string => {
  if (path.endsWith('.css')) return 'text/css; charset=utf-8'
  if (path.endsWith('.svg')) return 'image/svg+xml'
  if (/\.(geo)?json$/.test(path)) return 'application/json'
  return 'text/javascript; charset=utf-8'
}
