import { afterAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { download, downloadName } from '../../../src/ingest/inputs/download'
import { fetchInputs } from '../../../src/ingest/inputs/fetch-input'
import { waitFor } from '../../support/servers'
import { inFolder, writeFixture } from '../files/write-fixture'

const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => `${index}\n`).join(''))

/** Where a response breaks off; null: it is complete. */
let cutAt: number | null = null
let etag = '"1"'
const requests: { range: string | null; status: number }[] = []

const server = Bun.serve({
  port: 0,
  idleTimeout: 10,
  fetch: (request) => {
    if (new URL(request.url).pathname === '/silent') return new Promise(() => {})
    if (new URL(request.url).pathname === '/refused') return new Response(null, { status: 403 })
    if (new URL(request.url).pathname === '/moved') return Response.redirect('/lots.csv', 302)
    const range = request.headers.get('range')
    const isSame = request.headers.get('if-range') === etag
    const start = range !== null && isSame ? Number(/^bytes=(\d+)-$/.exec(range)?.[1]) : 0
    const status = request.headers.get('if-none-match') === etag ? 304 : start > 0 ? 206 : 200
    requests.push({ range, status })
    const headers: Record<string, string> = { etag }
    if (status === 304) return new Response(null, { status, headers })
    if (status === 206) headers['content-range'] = `bytes ${start}-${content.length - 1}/${content.length}`
    const end = cutAt ?? content.length
    cutAt = null
    if (end === content.length) return new Response(content.subarray(start), { status, headers })
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(content.subarray(start, end))
        const part = join(options.folder, downloadName(request.url), '.part')
        await waitFor(() => (statSync(part, { throwIfNoEntry: false })?.size ?? 0) > 0)
        controller.error(new Error('broken off'))
      },
    })
    return new Response(body, { status, headers: { ...headers, 'content-length': `${content.length - start}` } })
  },
})
afterAll(() => server.stop(true))

const downloadPath = async (...given: Parameters<typeof download>) => (await download(...given)).path
const options = { folder: inFolder('downloads'), allowPrivate: true, pauseMs: 1 }
const addressOf = (path: string) => `http://127.0.0.1:${server.port}${path}`

test('a download that breaks off is resumed where it ended, and one that is unchanged is not sent again', async () => {
  cutAt = 100_000
  const path = await downloadPath(addressOf('/lots.csv'), options)
  expect(path).toEndWith('/lots.csv')
  if (path === null) throw new Error('nothing was downloaded')
  expect(readFileSync(path).equals(content)).toBe(true)
  expect(requests).toEqual([
    { range: null, status: 200 },
    { range: expect.stringMatching(/^bytes=[1-9]\d*-$/), status: 206 },
  ])
  expect(await downloadPath(addressOf('/lots.csv'), options)).toBe(path)
  expect(requests.at(-1)).toEqual({ range: null, status: 304 })
  expect(readFileSync(path).equals(content)).toBe(true)
})

test('errors, which are logged, do not contain the secrets in a URL', async () => {
  const address = addressOf('/refused?layer=7&token=s3cret')
  const error = await download(address, options).catch((cause) => cause)
  expect(error.message).toBe(`${addressOf('/refused?layer=7&token=REDACTED')} answered with status 403`)
})

test('a file that changes during its download is downloaded from its start', async () => {
  cutAt = 100_000
  etag = '"2"'
  const change = () => {
    etag = '"3"'
  }
  const running = downloadPath(addressOf('/changing.csv'), { ...options, say: change })
  expect(readFileSync((await running) ?? '').equals(content)).toBe(true)
  expect(requests.at(-1)).toEqual({ range: expect.any(String), status: 200 })
})

test('a redirect is followed; private addresses, http and other protocols are refused', async () => {
  expect(readFileSync((await downloadPath(addressOf('/moved'), options)) ?? '').equals(content)).toBe(true)
  const { allowPrivate: _, ...publicOnly } = options
  await expect(downloadPath(addressOf('/lots.csv'), publicOnly)).rejects.toThrow(
    'is not a URL that begins with https://',
  )
  await expect(download('https://127.0.0.1/lots.csv', publicOnly)).rejects.toThrow('127.0.0.1 is not allowed')
  await expect(download('ftp://elm.example/lots.csv', publicOnly)).rejects.toThrow('begins with https://')
})

test('a version that the caller has is not sent again, also without the downloaded file', async () => {
  const address = addressOf('/known.csv')
  const { path, version } = await download(address, options)
  expect(version).toEqual({ etag, lastModified: null })
  expect(await download(address, { ...options, loaded: version })).toEqual({ path: null, version })
  rmSync(dirname(path ?? ''), { recursive: true })
  expect(await download(address, { ...options, loaded: version })).toEqual({ path: null, version })
  expect(requests.slice(-2).map(({ status }) => status)).toEqual([304, 304])
  etag = '"4"'
  const newer = await download(address, { ...options, loaded: version })
  expect(newer).toEqual({ path, version: { etag: '"4"', lastModified: null } })
})

test('each request waits for its turn at the host, and the status of each response is reported', async () => {
  const seen: unknown[] = []
  const portals = {
    approach: async (url: URL) => void seen.push(url.pathname),
    heed: (url: URL, status: number) => void seen.push([url.pathname, status]),
  }
  await download(addressOf('/moved'), { ...options, folder: inFolder('polite'), portals })
  expect(seen).toEqual(['/moved', ['/moved', 302], '/lots.csv', ['/lots.csv', 200]])
})

test('a server that never sends headers is given up after as many attempts as one that stops in the body', async () => {
  const attempts: string[] = []
  const say = (line: string) => void attempts.push(line)
  const running = download(addressOf('/silent'), { ...options, say, stallMs: 20 })
  await expect(running).rejects.toThrow('the server stopped sending')
  expect(attempts).toHaveLength(4)
}, 5_000)

test('a cancel ends the pause between two attempts', async () => {
  const cancel = new AbortController()
  const cancelled = new Error('cancelled')
  const say = () => void setTimeout(() => cancel.abort(cancelled), 10)
  const running = download(addressOf('/silent'), {
    ...options,
    signal: cancel.signal,
    say,
    stallMs: 20,
    pauseMs: 60_000,
  })
  await expect(running).rejects.toBe(cancelled)
}, 5_000)

test('standard input is a file until the command ends', async () => {
  const stdin = () => new Response('id\n1\n').body as ReadableStream<Uint8Array>
  const file = writeFixture('beside.csv', 'id\n2\n')
  const inputs = await fetchInputs(['-', file], options, stdin)
  const [path] = inputs.paths as [string]
  expect(readFileSync(path, 'utf8')).toBe('id\n1\n')
  expect(inputs.paths[1]).toBe(file)
  await inputs[Symbol.asyncDispose]()
  expect(await Bun.file(path).exists()).toBe(false)
  await expect(fetchInputs(['/nowhere.csv'], options)).rejects.toThrow('no such file')
})
