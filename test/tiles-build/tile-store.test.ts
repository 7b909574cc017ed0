import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArchiveName } from '../../tiles-build/store/archive-name'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { startS3Server } from './s3-server'

const dir = mkdtempSync(join(tmpdir(), 'tile-store-'))
afterAll(() => rmSync(dir, { recursive: true }))

const s3 = startS3Server()
const credentials = { endpoint: s3.url, accessKeyId: 'id', secretAccessKey: 'secret' }

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251)
const nameFor = (content: Uint8Array): ArchiveName => ({
  layer: 'parcels',
  hash: new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 16),
})
const archive = nameFor(bytes)

/** A file that is ready to be stored. */
const build = (content: Uint8Array = bytes): string => {
  const path = join(mkdtempSync(join(dir, 'build-')), 'archive')
  writeFileSync(path, content)
  return path
}

for (const [kind, url] of [
  ['a folder', join(dir, 'store')],
  ['a bucket', 's3://bucket/some/where/'],
] as const) {
  describe(kind, () => {
    const store = createTileStore(url, credentials)

    test('is empty at first', async () => {
      expect(await store.open(archive)).toBeNull()
      expect(await store.find(archive)).toBeNull()
      expect(await store.list('parcels')).toEqual([])
      await expect(store.read(archive, 0, 10)).rejects.toMatchObject({ code: 'not_found' })
      await store.remove(archive)
    })

    test('stores a file, returns any range of it, and removes it', async () => {
      const path = build()
      await store.put(archive, path)
      expect(existsSync(path)).toBe(false)
      expect(await store.find(archive)).toEqual({ ...archive, sizeBytes: 1000, storedAt: expect.any(Date) })
      expect(await store.read(archive, 0, 1000)).toEqual(bytes)
      expect(await store.read(archive, 250, 260)).toEqual(bytes.slice(250, 260))
      expect(await store.read(archive, 990, 1100)).toEqual(bytes.slice(990))
      const open = await store.open(archive)
      expect(open?.sizeBytes).toBe(1000)
      expect(await new Response(open?.slice(5, 9)).bytes()).toEqual(bytes.slice(5, 9))
      await store.put(archive, build())
      expect(await store.list('parcels')).toHaveLength(1)
      await store.remove(archive)
      expect(await store.find(archive)).toBeNull()
      expect(await store.open(archive)).toBeNull()
    })

    test('refuses a truncated or changed archive, and serves it once it is intact again', async () => {
      const damage = (content: Uint8Array<ArrayBuffer>) =>
        kind === 'a folder'
          ? writeFileSync(join(url, 'parcels', `${archive.hash}.pmtiles`), content)
          : s3.objects.set(`bucket/some/where/parcels/${archive.hash}.pmtiles`, content)
      expect(await store.isWhole(archive)).toBe(false)
      await store.put(archive, build())
      expect(await store.isWhole(archive)).toBe(true)
      for (const content of [bytes.slice(0, 500), bytes.slice().fill(7, 990, 991)]) {
        expect((await store.open(archive))?.sizeBytes).toBe(1000)
        // Another time of change: a file that looks the same is assumed to be the same.
        await Bun.sleep(content.length === 500 ? 0 : 1_100)
        damage(content)
        await expect((async () => store.open(archive))()).rejects.toMatchObject({ code: 'archive_damaged' })
        expect(await store.isWhole(archive)).toBe(false)
        await expect((async () => store.open(archive))()).rejects.toMatchObject({ code: 'archive_damaged' })
        await store.put(archive, build())
        expect(await store.isWhole(archive)).toBe(true)
      }
      await store.remove(archive)
      expect(await store.isWhole(archive)).toBe(false)
    })

    test('lists the archives of a layer, and no other files', async () => {
      const hashes = ['a', 'b', 'c'].map((digit) => digit.repeat(16))
      for (const hash of hashes) await store.put({ layer: 'roads', hash }, build())
      await store.put({ layer: 'parcels', hash: 'd'.repeat(16) }, build())
      if (kind === 'a folder') {
        writeFileSync(join(url, 'roads', 'notes.txt'), '')
        mkdirSync(join(url, 'roads', `${'e'.repeat(16)}.pmtiles`))
      } else s3.objects.set('bucket/some/where/roads/notes.txt', new Uint8Array())
      expect((await store.list('roads')).map(({ hash }) => hash).sort()).toEqual(hashes)
    })

    test('refuses names that could lead elsewhere', async () => {
      const names = [
        { layer: '..', hash: archive.hash },
        { layer: 'parcels/..', hash: archive.hash },
        { layer: '', hash: archive.hash },
        { layer: '.parcels', hash: archive.hash },
        { layer: 'parcels', hash: '../../etc/passwd' },
        { layer: 'parcels', hash: `${archive.hash}/` },
        { layer: 'parcels', hash: 'ABCDEF0123456789' },
        { layer: 'parcels\n', hash: archive.hash },
      ]
      for (const name of names) {
        await expect((async () => store.open(name))()).rejects.toMatchObject({ code: 'bad_input' })
        await expect(store.find(name)).rejects.toMatchObject({ code: 'bad_input' })
        await expect(store.remove(name)).rejects.toMatchObject({ code: 'bad_input' })
      }
    })
  })
}

describe('a folder, open', () => {
  const url = join(dir, 'opened')
  const store = createTileStore(url)
  const large = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251)
  const archive = nameFor(large)
  const place = join(url, 'parcels', `${archive.hash}.pmtiles`)

  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(place)
      } catch {
        return false
      }
    })
  const untilClosed = async () => {
    const deadline = Date.now() + 10_000
    while (openFiles().length > 0) {
      if (Date.now() > deadline) throw new Error('the archive is still open')
      await Bun.sleep(50)
    }
  }

  test('returns any range, small or large, from the first to the last byte, even after it was closed', async () => {
    await store.put(archive, build(large))
    const open = await store.open(archive)
    const ranges = [
      [0, 1],
      [0, 65_536],
      [1, 65_538],
      [100_000, 300_000],
      [299_999, 300_000],
      [0, 300_000],
    ] as const
    for (const when of ['open', 'closed']) {
      for (const [start, end] of ranges) {
        const got = await new Response(open?.slice(start, end)).bytes()
        expect(Buffer.from(got).equals(large.subarray(start, end)), `${start} to ${end}, ${when}`).toBe(true)
      }
      await untilClosed()
    }
  })

  test('closes a removed archive within a moment, so that its disk space is free', async () => {
    expect(await store.open(archive)).not.toBeNull()
    expect(openFiles()).toHaveLength(1)
    rmSync(place)
    await untilClosed()
    expect(await store.open(archive)).toBeNull()
  })

  test('reports a file that became shorter instead of returning less', async () => {
    await store.put(archive, build(large))
    const open = await store.open(archive)
    truncateSync(place, 1_000)
    expect(() => open?.slice(990, 1_010)).toThrow('ends 10 bytes before it should')
    await expect((async () => store.open(archive))()).rejects.toMatchObject({ code: 'archive_damaged' })
  })

  test("does not take a folder with an archive's name for an archive", async () => {
    const hash = 'f'.repeat(16)
    mkdirSync(join(url, 'parcels', `${hash}.pmtiles`))
    expect(await store.open({ layer: 'parcels', hash })).toBeNull()
  })
})

test('a folder: storing the next archive removes what a killed copy left behind', async () => {
  const url = join(dir, 'crashed')
  mkdirSync(join(url, 'parcels'), { recursive: true })
  writeFileSync(join(url, 'parcels', '.incoming-0a1b2c3d4e5f'), 'half')
  await createTileStore(url).put(archive, build())
  expect(readdirSync(join(url, 'parcels'))).toEqual([`${archive.hash}.pmtiles`])
})

test('a folder: an archive on another file system is copied first, and then appears atomically', async () => {
  if (!existsSync('/dev/shm')) return
  const url = mkdtempSync('/dev/shm/tile-store-')
  try {
    const path = build()
    const store = createTileStore(url)
    await store.put(archive, path)
    expect(existsSync(path)).toBe(false)
    expect(await store.read(archive, 0, 1000)).toEqual(bytes)
    expect(readdirSync(join(url, 'parcels'))).toEqual([`${archive.hash}.pmtiles`])
  } finally {
    rmSync(url, { recursive: true })
  }
})

test('a bucket that denies access is a configuration error', async () => {
  const store = createTileStore('s3://locked', credentials)
  await expect(store.read(archive, 0, 1)).rejects.toMatchObject({ code: 'bad_config' })
})

test('a bucket that is down is reported as unavailable', async () => {
  const store = createTileStore('s3://bucket', credentials)
  await s3.stop()
  await expect(store.find(archive)).rejects.toMatchObject({ code: 'server_unavailable' })
  await expect(store.read(archive, 0, 1)).rejects.toMatchObject({ code: 'server_unavailable' })
})
