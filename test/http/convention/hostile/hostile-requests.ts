import fc from 'fast-check'
import { type GeneratedRequest, operationsOf } from '../openapi/openapi-requests'

/* Makes hostile requests from an OpenAPI document, as bytes, and sends them. */

export interface HostileRequest {
  request: GeneratedRequest
  /** The hostile part, in words. */
  twist: string
  /** A function, so that bodies of 1 MB are not kept. */
  make: () => Sent
}

interface Sent {
  path: string
  headers: [name: string, value: string][]
  /** The bytes after the head. Null: none. */
  body: Uint8Array | null
  /** The connection is closed after the body although Content-Length announces more. */
  breaksOff?: boolean
}

const MAX_BYTES = 1024 * 1024
const LONG = 12_000

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const times = (text: string, count: number) => text.repeat(Math.min(count, Math.floor(MAX_BYTES / text.length) - 2))
const declared = (body: Uint8Array): [string, string] => ['Content-Length', String(body.byteLength)]
const JSON_TYPE: [string, string] = ['Content-Type', 'application/json']

const withBody = (request: GeneratedRequest, body: Uint8Array | string, type: [string, string] = JSON_TYPE): Sent => {
  const sent = typeof body === 'string' ? bytes(body) : body
  return { path: request.path, headers: [type, declared(sent)], body: sent }
}

const pick = <Value>(values: readonly Value[]) => fc.nat({ max: values.length - 1 }).map((at) => values[at] as Value)

/** Levels of nesting: just within the bound, just beyond it, and as many as a body can hold. */
const deepBody = fc
  .tuple(
    pick<[string, string]>([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"":[', ']}]'],
      ['{"vendor_config":', '}'],
      ['[[],', ']'],
    ]),
    pick([60, 64, 65, 1_000, 20_000, 100_000, 500_000]),
    pick(['1', '"x"', '', 'null']),
    fc.boolean(),
  )
  .map(([[open, close], levels, inner, isClosed]) => () => {
    const depth = Math.min(levels, Math.floor((MAX_BYTES - 100) / (open.length + close.length)))
    return `${open.repeat(depth)}${inner}${isClosed ? close.repeat(depth) : ''}`
  })

const wideBody = pick([
  () => `[${times('1,', 500_000)}1]`,
  () => `[${times('[],', 300_000)}1]`,
  () => `[${times('{"source":"sample-county","source_parcel_id":"1"},', 20_000)}{}]`,
  () => `{${Array.from({ length: 9_500 }, (_, i) => `"f${i}":"${'y'.repeat(30)}"`).join(',')}}`,
  () => `{"vendor_config":{${Array.from({ length: 9_500 }, (_, i) => `"f${i}":{}`).join(',')}}}`,
  () => `{${times('"a":1,', 170_000)}"a":1}`,
  () => `{"${times('n', MAX_BYTES - 100)}":1}`,
  () => `"${times('\\u0000', 170_000)}"`,
  () => `"${times('\\"', 500_000)}"`,
  () => times(' ', MAX_BYTES - 2),
  () => `${'['.repeat(62)}${times('"x",', 9_500)}1${']'.repeat(62)}`,
])

/** Strings that a backtracking pattern takes long to refuse. */
const slowTexts = [
  `${'a'.repeat(16_000)}\n`,
  `${' '.repeat(16_000)}\u0007`,
  `${'1'.repeat(16_000)}x`,
  `${'1.'.repeat(8_000)}`,
  '{parcel}'.repeat(2_000),
  `https://${'a/1/'.repeat(4_000)}x`,
  'é'.repeat(8_000),
  '👩‍👩‍👧‍👦'.repeat(600),
]
const slowBody = fc
  .tuple(
    pick(slowTexts),
    pick(['name', 'source', 'source_parcel_id', 'vendorKey', 'next_due_at', 'mode', 'email', 'columns']),
  )
  .map(
    ([text, field]) =>
      () =>
        JSON.stringify({ [field]: text, vendor_config: { [field]: text } }),
  )

const numberBody = fc
  .tuple(
    pick([
      '1e999',
      '-1e999',
      '1'.repeat(16_000),
      `0.${'0'.repeat(300_000)}1`,
      '1e-400',
      '-0',
      '9007199254740993',
      '0x10',
      'NaN',
      '01',
    ]),
    pick(['limit', 'pacsPropId', 'target_concurrency', 'slow_threshold_ms', 'step_size']),
  )
  .map(
    ([number, field]) =>
      () =>
        `{"source":"sample-county","${field}":${number}}`,
  )

const oddBytes = pick<() => Uint8Array>([
  () => Buffer.from('{"active":true}', 'utf16le'),
  () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{"active":true}', 'utf16le')]),
  () => bytes('\ufeff{"active":true}'),
  () => new Uint8Array([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  () => new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]),
  () => new Uint8Array([0x22, 0xf0, 0x9f, 0x22]),
  () => new Uint8Array(300_000),
  () => bytes('{"vendor_config":{"a":"\\u0000"}}'),
  () => bytes('{"vendor_config":{"\\ud800":1}}'),
  () => bytes('{"name":"a\0b"}'),
  () => bytes('{"__proto__":{"active":true},"constructor":1}'),
  () => Bun.gzipSync(new Uint8Array(1_000_000)),
  () => crypto.getRandomValues(new Uint8Array(60_000)),
])

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=--',
  'application/json; charset=utf-16',
  'application/octet-stream',
  'application/json, text/html',
  'APPLICATION/JSON',
  ';',
  `application/json; ${'x'.repeat(8_000)}`,
]

const HEADERS: [string, string][] = [
  ['Accept-Encoding', Array.from({ length: 1_500 }, (_, i) => `e${i}`).join(',')],
  ['Accept-Encoding', 'gzip;q=1e9, zstd;q=-1, *;q=0'],
  ['Accept', `${'*/*,'.repeat(2_000)}text/html`],
  ['If-None-Match', Array.from({ length: 2_000 }, (_, i) => `"${i}"`).join(',')],
  ['If-None-Match', '*'],
  ['Range', `bytes=${'0-0,'.repeat(2_000)}0-0`],
  ['Range', `bytes=${'9'.repeat(400)}-`],
  ['Cookie', `${'pds_session=x; '.repeat(700)}`],
  ['Cookie', `pds_theme=${'='.repeat(LONG)}`],
  ['X-Request-Id', 'x'.repeat(LONG)],
  ['X-Request-Id', '%0d%0aX-Evil: 1'],
  ['X-Forwarded-For', Array.from({ length: 900 }, (_, i) => `10.0.0.${i}`).join(',')],
  ['Idempotency-Key', 'k'.repeat(LONG)],
  ['Idempotency-Key', 'again'],
  ['Last-Event-ID', '9'.repeat(4_000)],
  ['Traceparent', `00-${'f'.repeat(8_000)}-01`],
  ['Baggage', 'a=b,'.repeat(2_000)],
  ['Origin', 'null'],
  ['Origin', `https://${'a.'.repeat(4_000)}example`],
  ['X-Service-Key', 'x'.repeat(LONG)],
  ['Host', 'a'.repeat(3_000)],
  ['Upgrade', 'websocket'],
  ['Expect', '100-continue'],
  ['Content-Encoding', 'gzip'],
  ['Connection', 'Transfer-Encoding, X-Service-Key'],
]

const QUERIES = [
  `limit=${'1'.repeat(LONG)}x`,
  `lat=${'1'.repeat(LONG / 2)}x&lon=${'1'.repeat(LONG / 3)}x`,
  `bbox=${'1'.repeat(LONG)}x`,
  `bbox=${'1,'.repeat(LONG / 2)}`,
  'bbox=-180,-90,180,90&limit=5000',
  `q=${'%F0%9F%91%A9'.repeat(900)}`,
  `q=${'%20a'.repeat(40)}`,
  `q=${'a'.repeat(200)}&group=owner&types=parcels,entities`,
  `zoning=${'%25_'.repeat(1_000)}&q=alder`,
  `${'a=1&'.repeat(LONG / 4)}`,
  `${'q=alder&'.repeat(LONG / 8)}`,
  '&'.repeat(LONG),
  '?'.repeat(LONG),
  `x=${'%00'.repeat(2_000)}`,
  `x=${'%zz'.repeat(2_000)}`,
  'after=%00',
  'state=%ff%fe',
  `after=${'0'.repeat(LONG)}`,
  'as_of=9999999999999&since=-1',
  `return_to=${encodeURIComponent('//evil.example')}`,
]

const ODD_SEGMENTS = [
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%ff',
  '%',
  'a'.repeat(LONG),
  '%E2%80%AE'.repeat(1_000),
  '%252e%252e',
  ';a=b',
  '*',
  ':id',
  '__proto__',
  '/'.repeat(2_000),
]

const LENGTHS: [name: string, value: string][] = [
  ['Content-Length', '-1'],
  ['Content-Length', '1e3'],
  ['Content-Length', '0x10'],
  ['Content-Length', '99999999999999999999'],
  ['Content-Length', String(2 * MAX_BYTES)],
  ['Content-Length', '0'],
  ['Transfer-Encoding', 'gzip'],
  ['Transfer-Encoding', 'chunked, chunked'],
  ['Transfer-Encoding', 'identity'],
]

const CHUNKED: [string, string] = ['Transfer-Encoding', 'chunked']
const chunk = (text: string) => `${bytes(text).byteLength.toString(16)}\r\n${text}\r\n`
const chunkedBody = pick([
  (text: string) => `${[...text.slice(0, 2_000)].map(chunk).join('')}0\r\n\r\n`,
  (text: string) => `${chunk(text || ' ').repeat(3)}0\r\n\r\n`,
  (text: string) => `${chunk(text || ' ')}0\r\nX-Trailer: ${'x'.repeat(2_000)}\r\n\r\n`,
  () => `ffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
  () => 'zz\r\n{}\r\n0\r\n\r\n',
  () => `2;${'x'.repeat(4_000)}\r\n{}\r\n0\r\n\r\n`,
  () => `${chunk(' '.repeat(100_000)).repeat(12)}0\r\n\r\n`,
])

const plainBody = (request: GeneratedRequest): Sent => {
  if (request.body === null) return { path: request.path, headers: [], body: null }
  return withBody(request, request.body, ['Content-Type', request.contentType ?? ''])
}

const addQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

const TWISTS: Record<string, fc.Arbitrary<(request: GeneratedRequest) => Sent>> = {
  'wrong values': fc.constant(plainBody),
  'deep JSON': deepBody.map((make) => (request) => withBody(request, make())),
  'wide JSON': wideBody.map((make) => (request) => withBody(request, make())),
  'slow texts': slowBody.map((make) => (request) => withBody(request, make())),
  numbers: numberBody.map((make) => (request) => withBody(request, make())),
  'odd bytes': oddBytes.map((make) => (request) => withBody(request, make())),
  'another type': pick(TYPES).map(
    (type) => (request) => withBody(request, request.body ?? '{}', ['Content-Type', type]),
  ),
  headers: pick(HEADERS).map((header) => (request) => {
    const plain = plainBody(request)
    return { ...plain, headers: [...plain.headers, header] }
  }),
  'many headers': fc.constant((request: GeneratedRequest) => ({
    ...plainBody(request),
    headers: Array.from({ length: 150 }, (_, i) => [`X-H-${i}`, 'v'] as [string, string]),
    body: null,
  })),
  query: pick(QUERIES).map((query) => (request) => ({ ...plainBody(request), path: addQuery(request.path, query) })),
  path: pick(ODD_SEGMENTS).map((segment) => (request) => ({
    ...plainBody(request),
    path: request.template.includes('{')
      ? request.template.replace(/\{\w+\}/g, () => segment)
      : `${request.template}/${segment}`,
  })),
  length: pick(LENGTHS).map((length) => (request) => ({
    path: request.path,
    headers: [JSON_TYPE, length],
    body: bytes(request.body ?? '{}'),
    breaksOff: true,
  })),
  chunked: chunkedBody.map((make) => (request) => ({
    path: request.path,
    headers: [JSON_TYPE, CHUNKED],
    body: bytes(make(request.body ?? '{}')),
  })),
  'breaks off': pick<[string, string]>([
    ['Content-Length', '1000'],
    ['Content-Length', String(MAX_BYTES)],
    CHUNKED,
  ]).map((length) => (request) => ({
    path: request.path,
    headers: [JSON_TYPE, length],
    body: bytes(length === CHUNKED ? '10\r\n[{"so' : '[{"source":'),
    breaksOff: true,
  })),
}

/** `rounds` times each operation with each kind of hostile part, in mixed order. */
export const listHostileRequests = (
  // biome-ignore lint/suspicious/noExplicitAny: the document is data
  document: any,
  { rounds, seed }: { rounds: number; seed: number },
): HostileRequest[] => {
  const operations = operationsOf(document)
  const kinds = Object.entries(TWISTS).flatMap(([name, twist]) =>
    operations.map((operation) =>
      fc
        .tuple(operation, twist)
        .map(([request, twisted]): HostileRequest => ({ request, twist: name, make: () => twisted(request) })),
    ),
  )
  const all = fc.sample(fc.tuple(...kinds), { numRuns: rounds, seed }).flat()
  return fc.sample(fc.shuffledSubarray(all, { minLength: all.length }), { numRuns: 1, seed })[0] ?? []
}

export const describeHostile = ({ twist, request, make }: HostileRequest): string => {
  const { path, headers, body } = make()
  const told = headers.slice(0, 4).map((header) => header.join(': ').slice(0, 60))
  return `${twist}: ${request.method} ${path.slice(0, 120)}, by ${request.caller}, ${body?.byteLength ?? 0} bytes, ${told.join(', ')}`
}

const BREAK_OFF_AFTER_MS = 15

/**
 * Sends a request on its own connection. Returns the status of the first response, or null if the connection was closed without one.
 * Throws if neither happens in time.
 */
export const sendHostile = (
  { hostname, port }: { hostname: string; port: number },
  hostile: HostileRequest,
  ownHeaders: Record<string, string>,
  { timeoutMs }: { timeoutMs: number },
): Promise<number | null> => {
  const { path, headers, body, breaksOff } = hostile.make()
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const own = Object.entries({ Host: `${hostname}:${port}`, ...ownHeaders, Connection: 'close' })
  const lines = [...own.filter(([name]) => !names.has(name.toLowerCase())), ...headers]
  // A space would end the path, and Bun itself answers 505.
  const target = path.replaceAll(' ', '%20')
  const head = `${hostile.request.method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`
  const toSend = Buffer.concat([Buffer.from(head, 'latin1'), body ?? new Uint8Array()])
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${timeoutMs} ms to ${describeHostile(hostile)}`)),
    timeoutMs,
  )
  let sent = 0
  let answer = ''
  const pump = (socket: Bun.Socket) => {
    while (sent < toSend.length) {
      const written = socket.write(toSend.subarray(sent))
      if (written <= 0) return
      sent += written
    }
    if (breaksOff) setTimeout(() => socket.terminate(), BREAK_OFF_AFTER_MS)
  }
  Bun.connect({
    hostname,
    port,
    socket: {
      open: pump,
      drain: pump,
      data(socket, data) {
        // Bun sends it several times.
        answer = (answer + data.toString('latin1')).replace(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)+/, '')
        const status = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n/.exec(answer)?.[1]
        if (status === undefined || status === '100') return
        resolve(Number(status))
        socket.terminate()
      },
      close: () => resolve(null),
      error: () => resolve(null),
    },
  }).catch(reject)
  return promise.finally(() => clearTimeout(timer))
}
