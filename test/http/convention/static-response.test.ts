import { expect, spyOn, test } from 'bun:test'
import { createStaticResponse, IMMUTABLE } from '../../../src/http/convention/response/static-response'
import { selfDescriptionRoutes } from '../../../src/http/routes/system/self-description'
import { startProcessorClock } from '../../support/processor-clock'
import { createTestApp } from '../test-app'

const { call, app } = await createTestApp()

const decoders = { zstd: Bun.zstdDecompressSync, gzip: Bun.gunzipSync, identity: (bytes: Uint8Array) => bytes }

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await app.handle(new Request(`http://localhost${path}`, { headers }))
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
}

const html = (await call('/app', { key: null })).text
const [script = ''] = html.match(/\/app\/assets\/[^"]+\.js/) ?? []

const CACHING: Record<string, string> = {
  '/openapi.json': 'public, max-age=300',
  '/llms.txt': 'public, max-age=300',
  '/.well-known/ai-plugin.json': 'public, max-age=300',
  '/docs': 'no-cache',
  '/docs/reference': 'public, no-cache',
  '/docs/swagger-ui-bundle.js': 'public, no-cache',
  '/docs/swagger-ui.css': 'public, no-cache',
  '/app': 'no-cache',
  '/map': 'no-cache',
  [script]: IMMUTABLE,
}

test('each encoding of a static response has a strong ETag, answers 304 and has a max-age', async () => {
  expect(script).not.toBe('')
  for (const [path, cacheControl] of Object.entries(CACHING)) {
    const plain = await get(path)
    const etags = new Set<string | null>()
    for (const encoding of ['zstd', 'gzip', 'identity'] as const) {
      const answer = await get(path, { 'accept-encoding': encoding })
      const etag = answer.headers.get('etag') ?? ''
      expect(etag, path).toMatch(/^"[\w-]+"$/)
      expect(answer.headers.get('cache-control'), path).toBe(cacheControl)
      expect(answer.headers.get('vary'), path).toMatch(/^(Cookie, )?Accept-Encoding$/)
      const sentAs = answer.headers.get('content-encoding') ?? 'identity'
      expect(sentAs, path).toBe(plain.bytes.byteLength < 1_024 ? 'identity' : encoding)
      const decoded = decoders[sentAs as typeof encoding](answer.bytes)
      expect(Buffer.compare(decoded, plain.bytes), `${path} as ${encoding}`).toBe(0)
      etags.add(`${sentAs} ${etag}`)

      const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': etag })
      expect([again.status, again.bytes.byteLength, again.headers.get('etag')], path).toEqual([304, 0, etag])
      expect(again.headers.get('vary'), path).toMatch(/^(Cookie, )?Accept-Encoding$/)
    }
    expect(new Set([...etags].map((pair) => pair?.split(' ')[1])).size, path).toBe(etags.size)
  }
})

test('a page in another theme has its own ETag', async () => {
  const [light, dark] = await Promise.all(
    ['light', 'dark'].map((theme) => get('/app', { cookie: `pds_theme=${theme}` })),
  )
  expect(light?.headers.get('etag')).not.toBe(dark?.headers.get('etag'))
  expect(new TextDecoder().decode(dark?.bytes)).toContain('data-theme="dark"')
})

test('a static response is compressed once: a hundred responses take less time than thirty compressions', async () => {
  const path = '/docs/swagger-ui-bundle.js'
  const time = async (times: number, work: () => unknown): Promise<number> => {
    const processorMs = startProcessorClock()
    for (let i = 0; i < times; i++) await work()
    return processorMs()
  }
  const { bytes } = await get(path, { 'accept-encoding': 'gzip' })
  const content = Bun.gunzipSync(bytes)
  const compressionsMs = await time(30, () => Bun.gzipSync(content, { level: 3, library: 'libdeflate' }))
  expect(await time(100, () => get(path, { 'accept-encoding': 'gzip' }))).toBeLessThan(compressionsMs)
})

test('a compression that failed is repeated at the next request', async () => {
  const respond = createStaticResponse('x'.repeat(100_000), {})
  const request = () => new Request('http://localhost/', { headers: { 'accept-encoding': 'zstd' } })
  const failing = spyOn(Bun, 'zstdCompress').mockRejectedValueOnce(new Error('no memory'))
  await expect(respond(request())).rejects.toThrow('no memory')
  expect((await respond(request())).headers.get('content-encoding')).toBe('zstd')
  expect(failing).toHaveBeenCalledTimes(2)
  failing.mockRestore()
})

test('a document that could not be read is read again at the next request', async () => {
  let reads = 0
  const openApi = async () => {
    if (++reads === 1) throw new Error('EMFILE: too many open files')
    return '{}'
  }
  const routes = selfDescriptionRoutes(openApi, 'http://localhost')
  const ask = async () => (await routes.handle(new Request('http://localhost/openapi.json'))).status
  expect([await ask(), await ask(), await ask()]).toEqual([500, 200, 200])
  expect(reads).toBe(2)
})
