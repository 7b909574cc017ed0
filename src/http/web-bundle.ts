import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../web/', import.meta.url))
const PAGES = ['app', 'map'] as const

export type Encoding = 'zstd' | 'gzip'

/** A script, a style sheet or another part of the web app, under a name that changes with its content. */
export interface WebAsset {
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
  /** Made when it is first asked for, once: as small as it gets, since it is kept. */
  compress: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>
}

export interface WebBundle {
  /** The app's one page, for every path of it, and the map's, as HTML. */
  pages: Readonly<Record<(typeof PAGES)[number], string>>
  /** By path. */
  assets: ReadonlyMap<string, WebAsset>
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
  const assets = new Map<string, WebAsset>()
  const pages = { app: '', map: '' }
  for (const output of outputs) {
    const name = PAGES.find((page) => output.path.endsWith(`${page}/index.html`))
    if (name !== undefined) pages[name] = await output.text()
    else
      assets.set(
        `/app/${output.path.replace(/^\.\//, '')}`,
        asset(contentTypeOf(output.path), new Uint8Array(await output.arrayBuffer())),
      )
  }
  return { pages, assets }
}

const asset = (contentType: string, bytes: Uint8Array<ArrayBuffer>): WebAsset => {
  const compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>()
  return {
    contentType,
    bytes,
    compress: (encoding) => {
      const known = compressed.get(encoding) ?? compressors[encoding](bytes)
      compressed.set(encoding, known)
      return known
    },
  }
}

type Bytes = Uint8Array<ArrayBuffer>

const compressors: Record<Encoding, (bytes: Bytes) => Promise<Bytes>> = {
  zstd: async (bytes) => new Uint8Array(await Bun.zstdCompress(bytes, { level: 19 })),
  gzip: async (bytes) => Bun.gzipSync(bytes, { level: 9, library: 'libdeflate' }),
}

const contentTypeOf = (path: string): string => {
  if (path.endsWith('.css')) return 'text/css; charset=utf-8'
  if (path.endsWith('.svg')) return 'image/svg+xml'
  return 'text/javascript; charset=utf-8'
}
