import { afterAll } from 'bun:test'

/**
 * The part of S3 that the tile store uses, on loopback, for one test file: objects in memory, ranges, and lists with two
 * names per page. The bucket `locked` denies access, and `frozen` accepts requests but never answers.
 */
export const startS3Server = () => {
  const objects = new Map<string, Uint8Array<ArrayBuffer>>()
  const refuse = (status: number, code: string) =>
    new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`, {
      status,
      headers: { 'content-type': 'application/xml' },
    })

  const list = (bucket: string, query: URLSearchParams): Response => {
    const start = Number(query.get('continuation-token') ?? 0)
    const keys = [...objects.keys()].filter((key) => key.startsWith(`${bucket}/${query.get('prefix') ?? ''}`)).sort()
    const page = keys.slice(start, start + 2).map((key) => {
      const name = key.slice(bucket.length + 1)
      return `<Contents><Key>${name}</Key><Size>${objects.get(key)?.length}</Size><LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents>`
    })
    const more = start + 2 < keys.length
    return new Response(
      `<?xml version="1.0"?><ListBucketResult><Name>${bucket}</Name><IsTruncated>${more}</IsTruncated>${
        more ? `<NextContinuationToken>${start + 2}</NextContinuationToken>` : ''
      }${page.join('')}</ListBucketResult>`,
      { headers: { 'content-type': 'application/xml' } },
    )
  }

  const read = (key: string, range: string | null): Response => {
    const bytes = objects.get(key)
    if (bytes === undefined) return refuse(404, 'NoSuchKey')
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
    const headers = { 'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT', etag: `"${Bun.hash(bytes)}"` }
    if (from === undefined) return new Response(bytes, { headers })
    const end = to ? Number(to) + 1 : bytes.length
    return new Response(bytes.slice(Number(from), end), { status: 206, headers })
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname.startsWith('/frozen/')) return new Promise(() => {})
      if (pathname.startsWith('/locked/')) return refuse(403, 'AccessDenied')
      const key = pathname.slice(1)
      if (searchParams.get('list-type') === '2') return list(key.replace(/\/$/, ''), searchParams)
      if (request.method === 'PUT') {
        objects.set(key, new Uint8Array(await request.arrayBuffer()))
        return new Response()
      }
      if (request.method === 'DELETE') {
        objects.delete(key)
        return new Response(null, { status: 204 })
      }
      return read(key, request.headers.get('range'))
    },
  })
  afterAll(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, objects, stop: () => server.stop(true) }
}
