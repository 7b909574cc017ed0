import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fetchFile } from '../../../src/loads/fetch-file'
import { commandOf } from '../../runner/programs'
import { createTestDatabase, waitFor } from '../../support/servers'
import { inFolder } from '../files/write-fixture'

const { sql, url: databaseUrl } = await createTestDatabase()
const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => `${index}\n`).join(''))
const HALF = content.length / 2
const ranges: (string | null)[] = []
/** Responses send their second half when this resolves. */
let gate = Promise.resolve()

const server = Bun.serve({
  port: 0,
  idleTimeout: 60,
  fetch: (request) => {
    const range = request.headers.get('range')
    ranges.push(range)
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    const wait = gate
    const body = new ReadableStream({
      async start(controller) {
        if (start < HALF) controller.enqueue(content.subarray(start, HALF))
        await wait
        controller.enqueue(content.subarray(Math.max(start, HALF)))
        controller.close()
      },
    })
    const headers = { etag: '"1"', 'content-length': `${content.length - start}` }
    if (start === 0) return new Response(body, { headers })
    const rest = `bytes ${start}-${content.length - 1}/${content.length}`
    return new Response(body, { status: 206, headers: { ...headers, 'content-range': rest } })
  },
})
afterAll(() => server.stop(true))
const address = `http://127.0.0.1:${server.port}/lots.csv`

const fetchInto = async (workDir: string) => {
  const file = await fetchFile(
    sql,
    { file_id: null, address },
    {
      ...{ databaseUrl, workDir, userAgent: 'test', allowPrivateSources: true },
      portals: { approach: async () => {}, heed: () => {} },
    },
    { loaded: null, signal: new AbortController().signal, say: () => {} },
  )
  if (file === null) throw new Error('nothing was fetched')
  return file
}
const partBytes = (workDir: string): number => {
  const downloads = join(workDir, 'downloads')
  const [folder = ''] = existsSync(downloads) ? readdirSync(downloads).filter((name) => !name.endsWith('.lock')) : []
  return statSync(join(downloads, folder, '.part'), { throwIfNoEntry: false })?.size ?? 0
}
const isWhole = (path: string): boolean => readFileSync(path).equals(content)

test('two works that fetch the same URL together each have their own file', async () => {
  const workDir = inFolder('together')
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const first = fetchInto(workDir)
  await waitFor(() => partBytes(workDir) === HALF)
  const second = fetchInto(workDir)
  await waitFor(() => ranges.length === 2)
  resolve()
  const files = await Promise.all([first, second])
  expect(files.map(({ path }) => isWhole(path))).toEqual([true, true])
  await files[1][Symbol.asyncDispose]()
  expect(isWhole(files[0].path)).toBe(true)
  await files[0][Symbol.asyncDispose]()
  expect(readdirSync(workDir, { recursive: true }).filter((name) => !`${name}`.endsWith('.lock'))).toEqual([
    'downloads',
  ])
})

test('a process that is killed keeps its download from others until then, and the next work resumes it', async () => {
  const workDir = inFolder('killed')
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const other = Bun.spawn(commandOf('test/ingest/inputs/fetch-process.ts', databaseUrl, workDir, address), {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await waitFor(() => partBytes(workDir) === HALF)
  gate = Promise.resolve()
  const own = await fetchInto(workDir)
  expect(isWhole(own.path)).toBe(true)
  await own[Symbol.asyncDispose]()
  expect(partBytes(workDir)).toBe(HALF)
  other.kill('SIGKILL')
  await other.exited
  const resumed = await fetchInto(workDir)
  expect(ranges.at(-1)).toBe(`bytes=${HALF}-`)
  expect(isWhole(resumed.path)).toBe(true)
  await resumed[Symbol.asyncDispose]()
  resolve()
})
