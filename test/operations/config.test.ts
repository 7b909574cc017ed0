import { describe, expect, test } from 'bun:test'
import { ALL_STATES } from '../../core/state-set'
import { readConfig } from '../../src/config'
import { listMisspelled } from '../../src/operations/doctor/misspelled-variables'

/** How messages about `MEILI_URLS` begin. */
const MEILI_URLS = 'MEILI_URLS must be like "http://a:7700=OR,WA http://b:7700=*"'

const SPECIAL = 'write special characters of a password as % codes, such as %23 for #'

describe('a bad variable stops the start, with a message that names the variable and its format', () => {
  const cases: [Record<string, string>, string][] = [
    [{ PORT: '99999' }, 'PORT must be a whole number from 1 to 65535'],
    [{ PORT: '3000x' }, 'PORT must be a whole number from 1 to 65535'],
    ...['postgres://u:a#b@db/x', 'postgres://u:a%b@db/x', 'postgres://db:99999/x'].map(
      (url): [Record<string, string>, string] => [
        { DATABASE_URL: url },
        `DATABASE_URL must be a valid URL: ${SPECIAL}`,
      ],
    ),
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a URL that starts with postgres:// or postgresql://'],
    [
      { DATABASE_URL: 'postgres://a/x', DATABASE_READ_URLS: 'postgres://b/x, c' },
      'DATABASE_READ_URLS must be a URL that starts with postgres:// or postgresql://',
    ],
    [
      { DATABASE_READ_URLS: 'postgres://b/x' },
      'DATABASE_READ_URLS must be used with DATABASE_URL, the primary of the replicas',
    ],
    [
      { DATABASE_URL: 'postgres://a/x', DATABASE_READ_URLS: 'postgres://b/x,postgres://a/x' },
      'DATABASE_READ_URLS must be different URLs, none of them DATABASE_URL',
    ],
    [
      {
        DATABASE_URL: 'postgres://a/x',
        DATABASE_READ_URLS: Array.from({ length: 17 }, (_, n) => `postgres://b${n}/x`).join(),
      },
      'DATABASE_READ_URLS must be at most 16 URLs, separated by commas',
    ],
    ...['DATABASE_URL', 'DATABASE_READ_URLS'].map((name): [Record<string, string>, string] => [
      { DATABASE_URL: 'postgres://a/x', [name]: 'postgres://b/x?target_session_attrs=any' },
      `${name} must be a URL whose target_session_attrs is one of read-write, read-only, primary, standby, prefer-standby`,
    ]),
    ...['redis://queue/abc', 'redis://queue:6379/1/'].map((url): [Record<string, string>, string] => [
      { REDIS_URL: url },
      'REDIS_URL must be a URL without a path, or with the number of a database as in redis://queue:6379/1',
    ]),
    [{ MEILI_URL: 'http:meili' }, 'MEILI_URL must be a URL that starts with http:// or https://'],
    [{ REDIS_URL: 'redis:queue' }, 'REDIS_URL must be a URL that starts with redis:// or rediss://'],
    [{ BASE_URL: 'https:/parcels.example' }, 'BASE_URL must be a URL that starts with http:// or https://'],
    [{ REDIS_URL: 'redis://:a%b@queue' }, `REDIS_URL must be a valid URL: ${SPECIAL}`],
    [{ MEILI_URL: 'meili' }, 'MEILI_URL must be a URL that starts with http:// or https://'],
    [{ MEILI_URLS: 'http://a:7700' }, `${MEILI_URLS}; entry 1 has no "="`],
    [{ MEILI_URLS: 'a:7700=*' }, `${MEILI_URLS}; the URL of entry 1 must start with http:// or https://`],
    [{ MEILI_URLS: 'http://:secret@a=*' }, `${MEILI_URLS}; the key of entry 1 is MEILI_MASTER_KEY, the same for all`],
    [{ MEILI_URLS: 'http://a=OR,XX http://b=*' }, `${MEILI_URLS}; entry 1 has "XX", which is not the code of a state`],
    [{ MEILI_URLS: 'http://a=OR http://b=WA,OR http://c=*' }, `${MEILI_URLS}; OR is in it twice`],
    [{ MEILI_URLS: 'http://a=OR http://a/=*' }, `${MEILI_URLS}; a is in it twice`],
    [
      { MEILI_URLS: 'http://a=OR http://b=WA' },
      `${MEILI_URLS}; exactly one entry must have *, for all other states; 0`,
    ],
    [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL must be a URL that starts with redis:// or rediss://'],
    [{ TILES_URL: 'https://tiles.example' }, 'TILES_URL must be a folder, or a bucket as s3://bucket/prefix'],
    [{ PAGES_URL: 's3:/bucket' }, 'PAGES_URL must be a folder, or a bucket as s3://bucket/prefix'],
    [{ AWS_ENDPOINT_URL: 'minio:9000' }, 'AWS_ENDPOINT_URL must be a URL that starts with http:// or https://'],
    [{ TILES_URL: 's3:///prefix' }, 'TILES_URL must be a folder, or a bucket as s3://bucket/prefix'],
    [
      { EXPORTS_URL: 's3://b', TILES_URL: 's3://b/tiles' },
      'TILES_URL must be outside EXPORTS_URL, but s3://b/tiles/ is in s3://b/',
    ],
    [{ EXPORTS_URL: 's3://b/x/', PAGES_URL: 's3://b/x' }, 'PAGES_URL must be outside EXPORTS_URL'],
    [{ DATA_DIR: '/data', EXPORTS_URL: '/data' }, 'TILES_URL must be outside EXPORTS_URL'],
    [
      { CORS_ORIGINS: 'https://a.example, maps.example' },
      'CORS_ORIGINS must be *, or a comma-separated list of origins such as https://maps.example',
    ],
    [{ CORS_ORIGINS: 'https://a.example/' }, 'CORS_ORIGINS must be *, or a comma-separated list of origins'],
    [
      { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'parcels' },
      'OIDC_CLIENT_SECRET must also be set: OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET are required together',
    ],
    [
      { OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'parcels', OIDC_CLIENT_SECRET: 'x' },
      'OIDC_ISSUER must be a URL that starts with https://',
    ],
    [{ BASE_URL: 'https://parcels.example?a=1' }, 'BASE_URL must be a URL without a path, "?", "#" and user'],
    [{ BASE_URL: 'https://tools.example/parcels/' }, 'BASE_URL must be a URL without a path, "?", "#" and user'],
    [{ CONTACT_URL: 'olga@example.org' }, 'CONTACT_URL must be a URL that starts with http:// or https:// or mailto:'],
    [{ REUSE_PORT: 'true' }, 'REUSE_PORT must be one of 0, 1'],
    [{ ALLOW_PRIVATE_SOURCES: 'yes' }, 'ALLOW_PRIVATE_SOURCES must be one of 0, 1'],
    [{ ALLOW_PRIVATE_WEBHOOKS: 'on' }, 'ALLOW_PRIVATE_WEBHOOKS must be one of 0, 1'],
    [{ OIDC_ALLOW_UNVERIFIED_EMAIL: 'TRUE' }, 'OIDC_ALLOW_UNVERIFIED_EMAIL must be one of 0, 1'],
    [{ TRUSTED_PROXIES: '-1' }, 'TRUSTED_PROXIES must be a whole number from 0 to 10'],
    [{ CHANGES_KEEP: '23' }, 'CHANGES_KEEP must be a whole number from 24 to 1200'],
    [{ CHANGES_KEEP: '3 years' }, 'CHANGES_KEEP must be a whole number from 24 to 1200'],
    [{ PORT: '4000', METRICS_PORT: '4000' }, 'METRICS_PORT must be a different port from PORT, which is 4000'],
    [{ OTEL_TRACES_SAMPLER: 'half' }, 'OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio'],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10' },
      'OTEL_TRACES_SAMPLER_ARG must be a share of traces from 0 to 1, because OTEL_TRACES_SAMPLER is traceidratio',
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: 'x-key: secret' },
      'OTEL_EXPORTER_OTLP_HEADERS must be headers as name=value, separated by commas',
    ],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent'],
    [
      { SERVICE_API_KEYS: '{' },
      'SERVICE_API_KEYS must be JSON of the shape {"<key>": {"capabilities": ["admin"]}}; it is not JSON',
    ],
    [{ SERVICE_API_KEYS: '[]' }, 'SERVICE_API_KEYS must be JSON of the shape {"<key>": {"capabilities": ["admin"]}}'],
    [
      { SERVICE_API_KEYS: '{"short":{"capabilities":["admin"]}}' },
      'SERVICE_API_KEYS must be JSON of the shape {"<key>": {"capabilities": ["admin"]}}; the key of entry 1 is shorter than 16 characters',
    ],
    ...[' 0123456789abcdef', '0123456789abcdef\n', '0123456789abcdefé'].map((key): [Record<string, string>, string] => [
      { SERVICE_API_KEYS: JSON.stringify({ [key]: { capabilities: ['admin'] } }) },
      'SERVICE_API_KEYS must be JSON of the shape {"<key>": {"capabilities": ["admin"]}}; the key of entry 1 has a character that a request header cannot send',
    ]),
    [
      { SERVICE_API_KEYS: '{"0123456789abcdef":{"capabilities":"admin"}}' },
      'SERVICE_API_KEYS must be JSON of the shape {"<key>": {"capabilities": ["admin"]}}; entry 1 has no list of capabilities',
    ],
    [
      { SERVICE_API_KEYS: '{"0123456789abcdef":{"capabilities":["root"]}}' },
      'SERVICE_API_KEYS, entry 1: capabilities must be names from read, enqueue, admin, bulk-export, funder, county-officer',
    ],
  ]
  for (const [environment, message] of cases) {
    test(message, () => {
      expect(() => readConfig(environment)).toThrow(message)
    })
  }

  test('a message about keys does not contain a key', () => {
    expect(() => readConfig({ SERVICE_API_KEYS: '{"secret-secret-secret":{}}' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret-secret') }),
    )
  })
})

test('a key gets the highest of its capabilities', () => {
  const keys = { aaaaaaaaaaaaaaaa: { capabilities: ['admin', 'enqueue'] }, bbbbbbbbbbbbbbbb: { capabilities: [] } }
  expect([...(readConfig({ SERVICE_API_KEYS: JSON.stringify(keys) }).bootstrapKeys ?? [])]).toEqual([
    ['aaaaaaaaaaaaaaaa', 'admin'],
    ['bbbbbbbbbbbbbbbb', 'read'],
  ])
})

test('a contact with letters of any language is sent to portals in characters that a header can have', () => {
  const userAgentOf = (CONTACT_URL: string) => readConfig({ CONTACT_URL }).userAgent
  expect(userAgentOf('https://例え.example/連絡')).toEndWith(' (+https://xn--r8jz45g.example/%E9%80%A3%E7%B5%A1)')
  expect(userAgentOf('https://parcels.example')).toEndWith(' (+https://parcels.example)')
})

test('an empty variable counts as unset, and with embedded servers the service listens on loopback only', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, host: '127.0.0.1', databaseUrl: null })
  expect(readConfig({ DATABASE_URL: 'postgres://db/x' }).host).toBe('0.0.0.0')
  expect(readConfig({ DATABASE_URL: 'postgres://db/x' }).databaseReadUrls).toEqual([])
})

test('a sampler of traces may have no share, and the share of another sampler is not checked', () => {
  expect(() => readConfig({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' })).not.toThrow()
  expect(() => readConfig({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: 'x' })).not.toThrow()
})

test('MEILI_URLS gives each state to one Meilisearch, and is used instead of MEILI_URL', () => {
  const one = { MEILI_URL: 'http://a:7700/', MEILI_MASTER_KEY: 'key' }
  expect(readConfig(one).meili).toEqual({ url: 'http://a:7700', masterKey: 'key' })
  expect(readConfig({ ...one, MEILI_URLS: ' http://b:7700/=OR,WA  https://c=* ' }).meili).toEqual([
    { url: 'http://b:7700', masterKey: 'key', states: { codes: ['OR', 'WA'], isExcept: false } },
    { url: 'https://c', masterKey: 'key', states: { codes: ['OR', 'WA'], isExcept: true } },
  ])
  expect(readConfig({ MEILI_URLS: 'http://a=*' }).meili).toMatchObject([{ states: ALL_STATES }])
})

test('the environment sets the identity provider, which may use plain HTTP only on this machine', () => {
  const client = { OIDC_CLIENT_ID: 'parcels', OIDC_CLIENT_SECRET: 'x' }
  expect(readConfig({}).identityProvider).toBeNull()
  expect(readConfig({ OIDC_ISSUER: 'https://id.example/realm', ...client }).identityProvider).toEqual({
    issuer: 'https://id.example/realm',
    clientId: 'parcels',
    clientSecret: 'x',
    allowsUnverifiedEmail: false,
  })
  const lax = readConfig({ OIDC_ISSUER: 'https://id.example', ...client, OIDC_ALLOW_UNVERIFIED_EMAIL: '1' })
  expect(lax.identityProvider?.allowsUnverifiedEmail).toBe(true)
  expect(readConfig({ OIDC_ISSUER: 'http://127.0.0.1:8080', ...client }).identityProvider).not.toBeNull()
})

test('tiles are stored under DATA_DIR unless TILES_URL names another folder or a bucket', () => {
  expect(readConfig({ DATA_DIR: '/data' }).tilesUrl).toBe('/data/tiles')
  expect(readConfig({ TILES_URL: '/srv/tiles' }).tilesUrl).toBe('/srv/tiles')
  expect(readConfig({ TILES_URL: 's3://bucket/tiles' }).tilesUrl).toBe('s3://bucket/tiles')
  expect(readConfig({ TILES_URL: 's3://bucket/a', PAGES_URL: 's3://bucket/ab' }).pagesUrl).toBe('s3://bucket/ab')
})

test('a variable that nothing reads, and whose name is almost that of one of the service, is found', () => {
  const meant = {
    SERVICE_API_KEY: 'SERVICE_API_KEYS',
    DATABASE_URI: 'DATABASE_URL',
    database_url: 'DATABASE_URL',
    BASEURL: 'BASE_URL',
    AWS_ENDPOINT_URLS: 'AWS_ENDPOINT_URL',
  }
  const others = {
    HOME: '/root',
    POST: '1',
    DATABASE_URL: 'x',
    MEILI_URLS: 'x',
    REDIS_PORT: '1',
    AWS_DEFAULT_REGION: 'x',
  }
  const found = listMisspelled({ ...meant, ...others })
  expect(found).toEqual(Object.entries(meant).map(([name, of]) => ({ name, meant: of })))
})
