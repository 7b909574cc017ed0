import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBucket } from '../../core/bucket'
import { createExportStore } from '../../src/exports/export-store'
import { createPageStore } from '../../src/scrape/pages/page-store'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { startS3Server } from '../tiles-build/s3-server'

const folder = mkdtempSync(join(tmpdir(), 'bucket-'))
afterAll(() => rmSync(folder, { recursive: true }))
const s3 = startS3Server()
const options = { endpoint: s3.url, accessKeyId: 'id', secretAccessKey: 'secret', answerMs: 200 }
const exports_ = createExportStore('s3://frozen/exports', options)
const pages = createPageStore('s3://frozen/pages', options)
const tiles = createTileStore('s3://frozen/tiles', options)
const path = join(folder, 'file')
writeFileSync(path, 'content')
const archive = { layer: 'parcels', hash: '0123456789abcdef' }
const hash = 'a'.repeat(64)

const calls: Record<string, () => Promise<unknown>> = {
  'exports put': () => exports_.put('name', path, 'text/csv'),
  'exports open': () => exports_.open('name', 1),
  'exports list': () => exports_.list(),
  'exports remove': () => exports_.remove('name'),
  'pages put': () => pages.put(hash, new Uint8Array(10)),
  'pages get': () => pages.get(hash),
  'pages remove': () => pages.remove(hash),
  'tiles put': () => tiles.put(archive, path),
  'tiles find': () => tiles.find(archive),
  'tiles read': () => tiles.read(archive, 0, 10),
  'tiles open': async () => tiles.open(archive),
  'tiles list': () => tiles.list('parcels'),
  'tiles remove': () => tiles.remove(archive),
}

for (const [name, call] of Object.entries(calls)) {
  test(`${name}: a bucket that never answers is reported as unavailable`, async () => {
    await expect(call()).rejects.toMatchObject({ code: 'server_unavailable' })
  }, 5_000)
}

test('a bucket that never answers gets few requests, and all of them again when it answers', async () => {
  const opened = openBucket('s3://bucket', 'the store', { ...options, answerMs: 2_000 })
  const held: (() => void)[] = []
  const hold = () => opened.ask(() => new Promise<string>((resolve) => held.push(() => resolve('answered'))))
  const codesOf = async (requests: Promise<string | null>[]) =>
    (await Promise.allSettled(requests)).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))
  expect(new Set(await codesOf(Array.from({ length: 1_000 }, hold)))).toEqual(new Set(['server_unavailable']))
  expect(held.length).toBeLessThan(300)

  expect(await opened.ask(async () => 'probe')).toBe('probe')
  const before = held.length
  const requests = Array.from({ length: 100 }, hold)
  expect(held.length - before).toBe(100)
  for (const answer of held) answer()
  expect(new Set(await codesOf(requests))).toEqual(new Set(['answered']))
})

test('a command ends although a bucket has not answered', async () => {
  // Never closes a connection, unlike the other server.
  using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const place = { ...options, endpoint: `http://127.0.0.1:${silent.port}` }
  const [command, bucket] = [
    join(import.meta.dirname, '../../src/cli/command/command'),
    join(import.meta.dirname, '../../core/bucket'),
  ]
  const child = Bun.spawn(
    [
      'bun',
      '-e',
      `import { runCommand } from '${command}'
       import { openBucket } from '${bucket}'
       const { file, ask } = openBucket('s3://bucket', 'the store', ${JSON.stringify(place)})
       await runCommand(async () => {
         await ask(() => file('name').stat())
       })`,
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe', timeout: 20_000 },
  )
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  expect({ stderr, code }).toEqual({ stderr: 'the store is not available, try again shortly\n', code: 1 })
}, 30_000)

test('the AWS_ variables name the server, the region and the credentials of a bucket', async () => {
  const asked: string[] = []
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ method, url, headers }) => {
      asked.push(`${method} ${new URL(url).pathname}: ${headers.get('authorization')}`)
      return new Response('content')
    },
  })
  const child = Bun.spawn(
    [
      'bun',
      '-e',
      `import { openBucket } from '${join(import.meta.dirname, '../../core/bucket')}'
       const { file, ask } = openBucket('s3://bucket/pages', 'the store')
       console.log(await ask(() => file('name').text()))`,
    ],
    {
      env: {
        PATH: process.env.PATH,
        AWS_ENDPOINT_URL: `http://127.0.0.1:${server.port}`,
        AWS_REGION: 'eu-north-1',
        AWS_ACCESS_KEY_ID: 'some-id',
        AWS_SECRET_ACCESS_KEY: 'some-secret',
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
      timeout: 20_000,
    },
  )
  expect(await new Response(child.stdout).text()).toBe('content\n')
  expect(asked).toEqual([
    expect.stringMatching(/^GET \/bucket\/pages\/name: .*Credential=some-id\/\d+\/eu-north-1\/s3\//),
  ])
}, 30_000)

test('a bucket without credentials is refused, naming the variables', async () => {
  const { accessKeyId: _, ...without } = options
  await expect(createPageStore('s3://bucket/pages', without).get(hash)).rejects.toMatchObject({
    code: 'bad_config',
    message: 's3://bucket/pages cannot be used: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set',
  })
})
