import { fileURLToPath } from 'node:url'

const PAGE = fileURLToPath(new URL('../web/app/index.html', import.meta.url))

export type Encoding = 'zstd' | 'gzip'

/** A script, a style sheet or another part of the web app, under a name that changes with its content. */
export interface WebAsset {
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
  /** Made when it is first asked for, once: as small as it gets, since it is kept. */
  compress: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>
}

export interface WebBundle {
  /** The one HTML page, for every path of the app. */
  page: string
  /** By path. */
  assets: ReadonlyMap<string, WebAsset>
}

/** The web app, bundled in memory. What only some pages need (the map, each page itself) is a chunk of its own. */
export const bundleWeb = async (): Promise<WebBundle> => {
  const { outputs } = await Bun.build({
    entrypoints: [PAGE],
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/app/',
    naming: {
      entry: '[name].[ext]',
      chunk: 'assets/[name]-[hash].[ext]',
      asset: 'assets/[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const assets = new Map<string, WebAsset>()
  let page = ''
  for (const output of outputs) {
    if (output.path.endsWith('.html')) page = await output.text()
    else
      assets.set(
        `/app/${output.path.replace(/^\.\//, '')}`,
        asset(contentTypeOf(output.path), new Uint8Array(await output.arrayBuffer())),
      )
  }
  return { page, assets }
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
