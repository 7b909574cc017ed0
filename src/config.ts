import { join, resolve } from 'node:path'
import { isLoopbackName } from '../core/loopback'
import { ServiceError } from '../core/service-error'
import { version } from '../package.json' with { type: 'json' }

export const CAPABILITIES = ['read', 'enqueue', 'admin'] as const
/** What a key may do. Each includes the ones before it; every valid key may read. */
export type Capability = (typeof CAPABILITIES)[number]

/** Names that a key may carry and that change nothing: the contract reserves them and enforces none. */
const UNENFORCED_CAPABILITIES = ['bulk-export', 'funder', 'county-officer']

export interface Config {
  port: number
  host: string
  /** Lets several processes of this machine listen on one port; the system deals connections out among them. */
  reusePort: boolean
  /** Where callers reach the service, without a trailing slash. */
  baseUrl: string
  dataDir: string
  /** Null: the embedded server is started. */
  databaseUrl: string | null
  meiliUrl: string | null
  meiliMasterKey: string | null
  meiliBinary: string | null
  /** Null: jobs are carried by the embedded queue, and one process runs them all. */
  redisUrl: string | null
  /** Where tile archives lie: a folder, or `s3://bucket/prefix`. */
  tilesUrl: string
  /** Bootstrap keys: key → what it may do. Null: not set, so the embedded default makes one for local use. */
  bootstrapKeys: ReadonlyMap<string, Capability> | null
  /** Origins whose pages may call the API from a browser; tiles are open to all pages. */
  corsOrigins: '*' | ReadonlySet<string>
  /** Where people sign in. Null: not set, so the embedded default runs its own. */
  identityProvider: IdentityProvider | null
  /** How many proxies of the operator's own stand before the service. */
  trustedProxies: number
  /** Port of metrics and readiness. Null: no port is opened. */
  metricsPort: number | null
  /** Address that `metricsPort` is opened on. */
  metricsHost: string
  /** Where traces are sent (OTLP over HTTP). Null: nowhere. */
  otlpEndpoint: string | null
  logLevel: LogLevel
  /** Lets sources on this machine and its network be asked. For tests. */
  allowPrivateSources: boolean
  /** Of the browser that some portals need; where the system has it, if it has one. */
  chromiumPath: string
  /** Every request to a portal says where its operator can be reached. */
  userAgent: string
}

/** An OpenID provider, and this service as its client. */
export interface IdentityProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** Whether people may sign in whose email the provider does not call verified. */
  allowsUnverifiedEmail: boolean
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type Environment = Record<string, string | undefined>

/**
 * The environment, read once. An empty variable counts as unset.
 *
 * @throws ServiceError `bad_config`, naming the variable and what it takes.
 */
export const readConfig = (environment: Environment = process.env): Config => {
  const read = (name: string): string | null => environment[name]?.trim() || null
  const port = readInteger(read('PORT'), 'PORT', 3000, 1, 65535)
  const databaseUrl = readUrl(read('DATABASE_URL'), 'DATABASE_URL', ['postgres:', 'postgresql:'])
  const dataDir = resolve(read('DATA_DIR') ?? '.data')
  const host = read('HOST') ?? (databaseUrl === null ? '127.0.0.1' : '0.0.0.0')
  const baseUrl = (readUrl(read('BASE_URL'), 'BASE_URL', ['http:', 'https:']) ?? `http://localhost:${port}`).replace(
    /\/+$/,
    '',
  )
  const contactUrl = readUrl(read('CONTACT_URL'), 'CONTACT_URL', ['http:', 'https:', 'mailto:']) ?? baseUrl
  return {
    port,
    host,
    reusePort: read('REUSE_PORT') === '1',
    baseUrl,
    dataDir,
    databaseUrl,
    meiliUrl: readUrl(read('MEILI_URL'), 'MEILI_URL', ['http:', 'https:'])?.replace(/\/+$/, '') ?? null,
    meiliMasterKey: read('MEILI_MASTER_KEY'),
    meiliBinary: read('MEILI_BIN'),
    redisUrl: readUrl(read('REDIS_URL'), 'REDIS_URL', ['redis:', 'rediss:']),
    tilesUrl: readTilesUrl(read('TILES_URL')) ?? join(dataDir, 'tiles'),
    bootstrapKeys: readBootstrapKeys(read('SERVICE_API_KEYS')),
    corsOrigins: readOrigins(read('CORS_ORIGINS')),
    identityProvider: readIdentityProvider(read),
    trustedProxies: readInteger(read('TRUSTED_PROXIES'), 'TRUSTED_PROXIES', 0, 0, 10),
    otlpEndpoint: readUrl(read('OTEL_EXPORTER_OTLP_ENDPOINT'), 'OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    metricsPort: readInteger(read('METRICS_PORT'), 'METRICS_PORT', null, 1, 65535),
    metricsHost: read('METRICS_HOST') ?? '127.0.0.1',
    logLevel: readChoice(read('LOG_LEVEL'), 'LOG_LEVEL', LOG_LEVELS, 'info'),
    allowPrivateSources: read('ALLOW_PRIVATE_SOURCES') === '1',
    chromiumPath: read('CHROMIUM_PATH') ?? '/usr/bin/chromium',
    userAgent: `ParcelDataService/${version} (+${contactUrl})`,
  }
}

/**
 * Whether callers reach this service only from the machine it runs on. The embedded identity provider asks nobody for a password, so it
 * runs only then.
 */
export const isLocalOnly = ({ host, baseUrl }: Pick<Config, 'host' | 'baseUrl'>): boolean =>
  isLoopbackName(host) && isLoopbackName(new URL(baseUrl).hostname)

const refuse = (name: string, takes: string, cause?: unknown): never => {
  throw new ServiceError('bad_config', `${name} must be ${takes}`, { cause })
}

const readInteger = <Fallback extends number | null>(
  text: string | null,
  name: string,
  fallback: Fallback,
  min: number,
  max: number,
): number | Fallback => {
  if (text === null) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) refuse(name, `a whole number from ${min} to ${max}`)
  return value
}

const readUrl = (text: string | null, name: string, protocols: string[]): string | null => {
  if (text === null) return null
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    refuse(name, `an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
  }
  return text
}

const readOrigins = (text: string | null): '*' | ReadonlySet<string> => {
  if (text === '*') return '*'
  const origins = text?.split(',').map((origin) => origin.trim()) ?? []
  for (const origin of origins) {
    if (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin) {
      refuse('CORS_ORIGINS', '*, or origins with commas between them, each as https://maps.example')
    }
  }
  return new Set(origins)
}

const OIDC_VARIABLES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const

const readIdentityProvider = (read: (name: string) => string | null): IdentityProvider | null => {
  const [issuer, clientId, clientSecret] = OIDC_VARIABLES.map(read)
  const allowsUnverifiedEmail = read('OIDC_ALLOW_UNVERIFIED_EMAIL') === '1'
  if (!issuer && !clientId && !clientSecret) return null
  if (!issuer || !clientId || !clientSecret) {
    const missing = OIDC_VARIABLES.filter((name) => read(name) === null)
    throw new ServiceError(
      'bad_config',
      `${missing.join(' and ')} must be set too: ${OIDC_VARIABLES.join(', ')} go together`,
    )
  }
  const { protocol, hostname } = new URL(readUrl(issuer, 'OIDC_ISSUER', ['http:', 'https:']) ?? '')
  if (protocol === 'http:' && !isLoopbackName(hostname)) {
    refuse('OIDC_ISSUER', 'an address that begins with https://')
  }
  return { issuer, clientId, clientSecret, allowsUnverifiedEmail }
}

const readTilesUrl = (text: string | null): string | null => {
  if (text === null) return null
  if (text.startsWith('s3://')) return /^s3:\/\/[^/]/.test(text) ? text : refuse('TILES_URL', TILES_URL_TAKES)
  return /^\w+:\/\//.test(text) ? refuse('TILES_URL', TILES_URL_TAKES) : resolve(text)
}

const TILES_URL_TAKES = 'a folder, or a bucket as s3://bucket/prefix'

const readChoice = <Choice extends string>(
  text: string | null,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice => {
  if (text === null) return fallback
  return choices.find((choice) => choice === text) ?? refuse(name, `one of ${choices.join(', ')}`)
}

const SHAPE = 'JSON of the shape {"<key>": {"capabilities": ["admin"]}}'

/** The map of bootstrap keys (api-spec, Authentication). A message about it names no key: keys are secrets. */
const readBootstrapKeys = (text: string | null): ReadonlyMap<string, Capability> | null => {
  if (text === null) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // The parser's own message would quote what it read.
    return refuse('SERVICE_API_KEYS', `${SHAPE}; it is not JSON`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return refuse('SERVICE_API_KEYS', SHAPE)
  const keys = new Map<string, Capability>()
  for (const [index, [key, entry]] of Object.entries(parsed).entries()) {
    const where = `entry ${index + 1}`
    if (key.length < 16) refuse('SERVICE_API_KEYS', `${SHAPE}; the key of ${where} is shorter than 16 characters`)
    const names: unknown = (entry as { capabilities?: unknown } | null)?.capabilities
    if (!Array.isArray(names)) return refuse('SERVICE_API_KEYS', `${SHAPE}; ${where} has no list of capabilities`)
    keys.set(key, highestCapability(names, `SERVICE_API_KEYS, ${where}: capabilities`))
  }
  return keys
}

/**
 * The highest rung of the ladder that `names` reach; `read` when they name none.
 *
 * @throws ServiceError `bad_config` for a name that is not known, naming `where` it stands.
 */
export const highestCapability = (names: readonly unknown[], where: string): Capability => {
  for (const name of names) {
    if (![...CAPABILITIES, ...UNENFORCED_CAPABILITIES].includes(String(name))) {
      refuse(where, `names out of ${[...CAPABILITIES, ...UNENFORCED_CAPABILITIES].join(', ')}`)
    }
  }
  return CAPABILITIES.findLast((capability) => names.includes(capability)) ?? 'read'
}
