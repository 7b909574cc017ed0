import { join, resolve } from 'node:path'
import { isBucket } from '../core/bucket'
import { isLoopbackName } from '../core/network/loopback'
import { ServiceError } from '../core/service-error'
import { version } from '../package.json' with { type: 'json' }
import type { Meilisearches } from '../search/index/instances'
import { readMeiliUrls } from '../search/index/meili-urls'
import { BULK_EXPORT, type Capability, highestCapability } from './people/capabilities'

export interface Config {
  port: number
  host: string
  /** Lets several processes on this machine listen on one port. The kernel distributes connections among them. */
  reusePort: boolean
  /** Public address of the service, without a trailing slash. */
  baseUrl: string
  dataDir: string
  /** Null: start the embedded server. */
  databaseUrl: string | null
  /** Streaming replicas of `databaseUrl`, for reads that may lag. */
  databaseReadUrls: readonly string[]
  /** Null: start the embedded server. */
  meili: Meilisearches | null
  meiliBinary: string | null
  /** Null: use the embedded queue, and run all jobs in one process. */
  redisUrl: string | null
  /** Location of the tile archives: a folder, or `s3://bucket/prefix`. */
  tilesUrl: string
  /** The operator's base map: a style of MapLibre, or a PMTiles archive. Null: the map has none. */
  basemapUrl: string | null
  /** Location of the kept pages of portals: a folder, or `s3://bucket/prefix`. */
  pagesUrl: string
  /** Maximum size of all kept pages. 0: no pages are kept. */
  maxPagesBytes: number
  /** How many months every change of a parcel is kept; older years are compacted. Null: forever. */
  changesKeepMonths: number | null
  /** Bootstrap keys and their capabilities. Null: not set; the embedded default creates one key for local use. */
  bootstrapKeys: ReadonlyMap<string, Capability> | null
  /** The bootstrap keys that are not admin keys and may export parcels. */
  exportKeys: ReadonlySet<string>
  /** Location of the files of exports: a folder, or `s3://bucket/prefix`. */
  exportsUrl: string
  /** Maximum size of all uploaded files of parcels. */
  maxUploadBytes: number
  /** Maximum size of all files of exports. */
  maxExportsBytes: number
  /** Origins whose pages may call the API from a browser. Tiles are open to all origins. */
  corsOrigins: '*' | ReadonlySet<string>
  /** Where people sign in. Null: not set; the embedded default runs its own provider. */
  identityProvider: IdentityProvider | null
  /** How many trusted proxies add `X-Forwarded-For`. */
  trustedProxies: number
  /** Port for metrics and readiness. Null: none. */
  metricsPort: number | null
  /** Address on which `metricsPort` listens. */
  metricsHost: string
  /** Where traces are exported (OTLP over HTTP). Null: nowhere. */
  otlpEndpoint: string | null
  logLevel: LogLevel
  /** Whether sources may have private or loopback addresses. For tests. */
  allowPrivateSources: boolean
  /** Whether webhooks may have private or loopback addresses, and use http. For tests. */
  allowPrivateWebhooks: boolean
  /** Path of the browser that some portals need. */
  chromiumPath: string
  /** User-Agent of requests to portals. It includes the operator's contact address. */
  userAgent: string
}

/** An OpenID provider and this service's client credentials. */
export interface IdentityProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** Whether people with an unverified email may sign in. */
  allowsUnverifiedEmail: boolean
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The review of a parcel compares it with its changes of the last two years. */
const MIN_CHANGES_MONTHS = 24

export type Environment = Record<string, string | undefined>

/** A variable of the environment. */
interface Variable {
  name: string
  /** Null: it is not set. */
  text: string | null
}

type Read = (name: string) => Variable

/**
 * Reads the configuration from the environment. An empty variable counts as unset.
 *
 * @throws ServiceError `bad_config`, naming the variable and its accepted values.
 */
export const readConfig = (environment: Environment = process.env): Config => {
  const read: Read = (name) => ({ name, text: environment[name]?.trim() || null })
  const port = readInteger(read('PORT'), 3000, 1, 65535)
  const databaseUrl = readDatabaseUrl(read('DATABASE_URL'))
  const dataDir = resolve(read('DATA_DIR').text ?? '.data')
  const host = read('HOST').text ?? (databaseUrl === null ? '127.0.0.1' : '0.0.0.0')
  const baseUrl = readBaseUrl(read('BASE_URL')) ?? `http://localhost:${port}`
  const tilesUrl = readStoreUrl(read('TILES_URL')) ?? join(dataDir, 'tiles')
  const pagesUrl = readStoreUrl(read('PAGES_URL')) ?? join(dataDir, 'pages')
  const exportsUrl = readStoreUrl(read('EXPORTS_URL')) ?? join(dataDir, 'exports')
  refuseNestedStores({ TILES_URL: tilesUrl, PAGES_URL: pagesUrl, EXPORTS_URL: exportsUrl })
  const metricsPort = readInteger(read('METRICS_PORT'), null, 1, 65535)
  if (metricsPort === port) refuse('METRICS_PORT', `a different port from PORT, which is ${port}`)
  checkTracing(read)
  readUrl(read('AWS_ENDPOINT_URL'), ['http:', 'https:'])
  const contactUrl = readUrl(read('CONTACT_URL'), ['http:', 'https:', 'mailto:']) ?? baseUrl
  return {
    port,
    host,
    reusePort: readSwitch(read('REUSE_PORT')),
    baseUrl,
    dataDir,
    databaseUrl,
    databaseReadUrls: readReplicaUrls(read('DATABASE_READ_URLS'), databaseUrl),
    meili: readMeili(read),
    meiliBinary: read('MEILI_BIN').text,
    redisUrl: readRedisUrl(read('REDIS_URL')),
    tilesUrl,
    basemapUrl: readUrl(read('BASEMAP_URL'), ['http:', 'https:']),
    pagesUrl,
    maxPagesBytes: readInteger(read('PAGES_MAX_MB'), 1_024, 0, 1_000_000_000) * 1024 ** 2,
    changesKeepMonths: readInteger(read('CHANGES_KEEP'), null, MIN_CHANGES_MONTHS, 1_200),
    exportsUrl,
    maxExportsBytes: readInteger(read('EXPORTS_MAX_MB'), 10_240, 1, 1_000_000_000) * 1024 ** 2,
    maxUploadBytes: readInteger(read('UPLOADS_MAX_MB'), 2_048, 1, 1_000_000) * 1024 ** 2,
    ...readBootstrapKeys(read('SERVICE_API_KEYS')),
    corsOrigins: readOrigins(read('CORS_ORIGINS')),
    identityProvider: readIdentityProvider(read),
    trustedProxies: readInteger(read('TRUSTED_PROXIES'), 0, 0, 10),
    otlpEndpoint: readUrl(read('OTEL_EXPORTER_OTLP_ENDPOINT'), ['http:', 'https:']),
    metricsPort,
    metricsHost: read('METRICS_HOST').text ?? '127.0.0.1',
    logLevel: readChoice(read('LOG_LEVEL'), LOG_LEVELS, 'info'),
    allowPrivateSources: readSwitch(read('ALLOW_PRIVATE_SOURCES')),
    allowPrivateWebhooks: readSwitch(read('ALLOW_PRIVATE_WEBHOOKS')),
    chromiumPath: read('CHROMIUM_PATH').text ?? '/usr/bin/chromium',
    // A header cannot have other characters. `href` has them as % codes, and the host in punycode.
    userAgent: `ParcelDataService/${version} (+${/^[ -~]*$/.test(contactUrl) ? contactUrl : new URL(contactUrl).href})`,
  }
}

/** A folder in which this process writes, by the variable that names it. */
export interface DataFolder {
  name: string
  path: string
}

/** The folders in which this process writes. Buckets have no disk. Some may be on the same disk. */
export const listDataFolders = ({ dataDir, tilesUrl, pagesUrl, exportsUrl }: Config): DataFolder[] =>
  [
    { name: 'DATA_DIR', path: dataDir },
    { name: 'TILES_URL', path: tilesUrl },
    { name: 'PAGES_URL', path: pagesUrl },
    { name: 'EXPORTS_URL', path: exportsUrl },
  ].filter(({ path }) => !isBucket(path))

/**
 * Whether this service is reachable only from its own machine. Only then may the embedded identity provider run, because it does not
 * require a password.
 */
export const isLocalOnly = ({ host, baseUrl }: Pick<Config, 'host' | 'baseUrl'>): boolean =>
  isLoopbackName(host) && isLoopbackName(new URL(baseUrl).hostname)

const refuse = (name: string, takes: string): never => {
  throw new ServiceError('bad_config', `${name} must be ${takes}`)
}

const readInteger = <Fallback extends number | null>(
  { name, text }: Variable,
  fallback: Fallback,
  min: number,
  max: number,
): number | Fallback => {
  if (text === null) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) refuse(name, `a whole number from ${min} to ${max}`)
  return value
}

const readSwitch = (variable: Variable): boolean => readChoice(variable, ['0', '1'], '0') === '1'

const readUrl = ({ name, text }: Variable, protocols: string[]): string | null => {
  if (text === null) return null
  const starts = protocols.map((protocol) => (protocol === 'mailto:' ? protocol : `${protocol}//`))
  if (!starts.some((start) => text.toLowerCase().startsWith(start)))
    refuse(name, `a URL that starts with ${starts.join(' or ')}`)
  // The message does not quote the value, because it may contain a password.
  if (!isWellFormed(text))
    refuse(name, 'a valid URL: write special characters of a password as % codes, such as %23 for #')
  return text
}

/** Whether drivers can read `url`. They decode the user and the password. */
const isWellFormed = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { username, password } = new URL(url)
  try {
    decodeURIComponent(`${username}${password}`)
    return true
  } catch {
    return false
  }
}

/** The values of `target_session_attrs` that the driver knows. */
const SESSION_ATTRS = ['read-write', 'read-only', 'primary', 'standby', 'prefer-standby']

const readDatabaseUrl = (variable: Variable): string | null => {
  const url = readUrl(variable, ['postgres:', 'postgresql:'])
  const attrs = url === null ? null : new URL(url).searchParams.get('target_session_attrs')
  if (attrs && !SESSION_ATTRS.includes(attrs))
    refuse(variable.name, `a URL whose target_session_attrs is one of ${SESSION_ATTRS.join(', ')}`)
  return url
}

const readRedisUrl = (variable: Variable): string | null => {
  const url = readUrl(variable, ['redis:', 'rediss:'])
  // Redis would refuse the name, and the client would use database 0.
  if (url !== null && !/^(?:\/\d*)?$/.test(new URL(url).pathname))
    refuse(variable.name, 'a URL without a path, or with the number of a database as in redis://queue:6379/1')
  return url
}

const readBaseUrl = (variable: Variable): string | null => {
  const url = readUrl(variable, ['http:', 'https:'])?.replace(/\/+$/, '') ?? null
  // Paths are added to it, and it is shown to everybody. Pages and cookies expect the service at the root of its host.
  if (url !== null && (/[?#@]/.test(url) || new URL(url).pathname !== '/'))
    refuse(variable.name, 'a URL without a path, "?", "#" and user, such as https://parcels.example')
  return url
}

/** Each gets two queries per second from each API process. */
const MAX_REPLICAS = 16

const readReplicaUrls = ({ name, text }: Variable, databaseUrl: string | null): string[] => {
  const urls = text?.split(',').map((url) => url.trim()) ?? []
  for (const url of urls) readDatabaseUrl({ name, text: url })
  if (urls.length > 0 && databaseUrl === null) refuse(name, 'used with DATABASE_URL, the primary of the replicas')
  if (urls.length > MAX_REPLICAS) refuse(name, `at most ${MAX_REPLICAS} URLs, separated by commas`)
  if (new Set([...urls, databaseUrl]).size <= urls.length) refuse(name, 'different URLs, none of them DATABASE_URL')
  return urls
}

const readMeili = (read: Read): Meilisearches | null => {
  const url = readUrl(read('MEILI_URL'), ['http:', 'https:'])?.replace(/\/+$/, '') ?? null
  const several = read('MEILI_URLS').text
  const masterKey = read('MEILI_MASTER_KEY').text
  if (several !== null) return readMeiliUrls(several, masterKey)
  return url === null ? null : { url, masterKey }
}

const readOrigins = ({ name, text }: Variable): '*' | ReadonlySet<string> => {
  if (text === '*') return '*'
  const origins = text?.split(',').map((origin) => origin.trim()) ?? []
  for (const origin of origins) {
    if (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin) {
      refuse(name, '*, or a comma-separated list of origins such as https://maps.example')
    }
  }
  return new Set(origins)
}

const OIDC_VARIABLES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const

const readIdentityProvider = (read: Read): IdentityProvider | null => {
  const [issuer, clientId, clientSecret] = OIDC_VARIABLES.map((name) => read(name).text)
  const allowsUnverifiedEmail = readSwitch(read('OIDC_ALLOW_UNVERIFIED_EMAIL'))
  if (!issuer && !clientId && !clientSecret) return null
  if (!issuer || !clientId || !clientSecret) {
    const missing = OIDC_VARIABLES.filter((name) => read(name).text === null)
    throw new ServiceError(
      'bad_config',
      `${missing.join(' and ')} must also be set: ${OIDC_VARIABLES.join(', ')} are required together`,
    )
  }
  const { protocol, hostname } = new URL(readUrl(read('OIDC_ISSUER'), ['http:', 'https:']) ?? '')
  if (protocol === 'http:' && !isLoopbackName(hostname)) {
    refuse('OIDC_ISSUER', 'a URL that starts with https://')
  }
  return { issuer, clientId, clientSecret, allowsUnverifiedEmail }
}

const readStoreUrl = ({ name, text }: Variable): string | null => {
  if (text === null) return null
  const refuseUrl = () => refuse(name, 'a folder, or a bucket as s3://bucket/prefix')
  if (text.startsWith('s3://')) return /^s3:\/\/[^/]/.test(text) ? text : refuseUrl()
  return /^(?:s3:|\w+:\/\/)/.test(text) ? refuseUrl() : resolve(text)
}

/** Each store lists and removes what is below its own URL, so none may contain another. */
const refuseNestedStores = (stores: Record<string, string>): void => {
  const places = Object.entries(stores).map(([name, url]) => [name, `${url.replace(/\/+$/, '')}/`] as const)
  for (const [name, place] of places) {
    for (const [other, parent] of places) {
      if (name !== other && place.startsWith(parent)) refuse(name, `outside ${other}, but ${place} is in ${parent}`)
    }
  }
}

const readChoice = <Choice extends string>(
  { name, text }: Variable,
  choices: readonly Choice[],
  fallback: Choice,
): Choice => {
  if (text === null) return fallback
  return choices.find((choice) => choice === text) ?? refuse(name, `one of ${choices.join(', ')}`)
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** OpenTelemetry reads these variables itself. It would ignore a wrong value, and keep every trace. */
const checkTracing = (read: Read): void => {
  const sampler = readChoice(read('OTEL_TRACES_SAMPLER'), SAMPLERS, 'always_on')
  const share = Number(read('OTEL_TRACES_SAMPLER_ARG').text ?? 1)
  if (sampler.endsWith('traceidratio') && !(share >= 0 && share <= 1))
    refuse('OTEL_TRACES_SAMPLER_ARG', `a share of traces from 0 to 1, because OTEL_TRACES_SAMPLER is ${sampler}`)
  // The message does not quote the value, because it contains secrets.
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS').text?.split(',') ?? []
  if (!headers.every((header) => /^\s*[^\s=]+\s*=/.test(header)))
    refuse('OTEL_EXPORTER_OTLP_HEADERS', 'headers as name=value, separated by commas')
}

/** Headers lose spaces and line breaks at the ends of a value, and clients encode characters outside of ASCII differently. */
const FITS_HEADER = /^[!-~](?:[ -~]*[!-~])?$/

const SHAPE = 'JSON of the shape {"<key>": {"capabilities": ["admin"]}}'

/** Parses the bootstrap keys. Error messages never contain a key, because keys are secrets. */
const readBootstrapKeys = ({ name, text }: Variable): Pick<Config, 'bootstrapKeys' | 'exportKeys'> => {
  if (text === null) return { bootstrapKeys: null, exportKeys: new Set() }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // The parser's own message would quote the input.
    return refuse(name, `${SHAPE}; it is not JSON`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return refuse(name, SHAPE)
  const keys = new Map<string, Capability>()
  const exportKeys = new Set<string>()
  for (const [index, [key, entry]] of Object.entries(parsed).entries()) {
    const where = `entry ${index + 1}`
    if (key.length < 16) refuse(name, `${SHAPE}; the key of ${where} is shorter than 16 characters`)
    if (!FITS_HEADER.test(key))
      refuse(name, `${SHAPE}; the key of ${where} has a character that a request header cannot send`)
    const names: unknown = (entry as { capabilities?: unknown } | null)?.capabilities
    if (!Array.isArray(names)) return refuse(name, `${SHAPE}; ${where} has no list of capabilities`)
    keys.set(key, highestCapability(names, `${name}, ${where}: capabilities`))
    if (names.includes(BULK_EXPORT)) exportKeys.add(key)
  }
  return { bootstrapKeys: keys, exportKeys }
}
