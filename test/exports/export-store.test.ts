import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExportStore } from '../../src/exports/export-store'
import { startS3Server } from '../tiles-build/s3-server'

const dir = mkdtempSync(join(tmpdir(), 'export-store-'))
afterAll(() => rmSync(dir, { recursive: true }))
const s3 = startS3Server()
const credentials = { endpoint: s3.url, accessKeyId: 'id', secretAccessKey: 'secret' }

for (const [kind, url] of [
  ['a folder', join(dir, 'store')],
  ['a bucket', 's3://bucket/some/where/'],
] as const) {
  describe(kind, () => {
    const store = createExportStore(url, credentials)
    const put = async (name: string, content: string) => {
      const path = join(dir, 'incoming')
      writeFileSync(path, content)
      await store.put(name, path, 'text/csv')
      expect(existsSync(path)).toBe(false)
    }
    const read = async (name: string, sizeBytes: number, start: number, end: number) => {
      const slice = await store.open(name, sizeBytes)
      return slice && new Response(slice(start, end)).text()
    }

    test('files are stored, listed, read in ranges and removed', async () => {
      expect(await store.list()).toEqual([])
      for (const name of ['a-1.csv', 'b-1.csv', 'c-2.csv']) await put(name, `content of ${name}`)
      const listed = (await store.list()).toSorted((a, b) => a.key.localeCompare(b.key))
      expect(listed.map(({ key, sizeBytes }) => [key, sizeBytes])).toEqual([
        ['a-1.csv', 18],
        ['b-1.csv', 18],
        ['c-2.csv', 18],
      ])
      expect(listed[0]?.storedAt).toBeInstanceOf(Date)
      expect(await read('a-1.csv', 18, 0, 18)).toBe('content of a-1.csv')
      expect(await read('b-1.csv', 18, 11, 14)).toBe('b-1')
      await store.remove('a-1.csv')
      await store.remove('a-1.csv')
      expect(await read('a-1.csv', 18, 0, 18)).toBeNull()
      expect(await store.list()).toHaveLength(2)
    })

    test('a file whose size differs from that of its export is not served', async () => {
      expect(await read('b-1.csv', 17, 0, 17)).toBeNull()
    })
  })
}
