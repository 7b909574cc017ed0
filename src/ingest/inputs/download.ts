import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fetchAt } from '../../../adapters/http/fetch-at'
import type { PortalAccess } from '../../../adapters/http/http-client'
import { resolvePublicAddress } from '../../../adapters/http/public-address'
import { redactUrl } from '../../../adapters/http/redact-url'
import { ScrapeError } from '../../../adapters/scrape-error'
import { setDeadline } from '../../../core/concurrency/deadline'
import { untilAborted } from '../../../core/concurrency/until-aborted'
import { writeAll } from '../../../core/files/all-bytes'
import { ServiceError } from '../../../core/service-error'

const MAX_BYTES = 32 * 1024 ** 3
const MAX_REDIRECTS = 5
const MAX_NAME = 100
/** Maximum consecutive attempts that receive no bytes. */
const MAX_ATTEMPTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const STALL_MS = 60_000

export interface DownloadOptions {
  /** Where files are kept, so that an interrupted download is resumed and an unchanged file is not sent again. */
  folder: string
  signal?: AbortSignal
  say?: (line: string) => void
  /** Allows http and this machine's network. For tests. */
  allowPrivate?: boolean
  /** The pause after a failed attempt, which doubles. */
  pauseMs?: number
  /** How long the server may send nothing. */
  stallMs?: number
  /** Spaces the requests to a host, and slows down when the host refuses one. Omitted: requests do not wait. */
  portals?: Pick<PortalAccess, 'approach' | 'heed'>
  userAgent?: string
  /** The version that the caller already has. */
  loaded?: FileVersion | null
}

/** How the server identifies a version of the file. */
export interface FileVersion {
  etag: string | null
  lastModified: string | null
}

export interface Download {
  /** Null: the server has the version `loaded`. */
  path: string | null
  version: FileVersion
}

/** The name of the folder for the files of this URL. */
export const downloadName = (address: string): string =>
  createHash('sha256')
    .update(URL.parse(address)?.href ?? address)
    .digest('hex')
    .slice(0, 24)

/**
 * Downloads a file. Only one download of a URL may use `folder` at a time. A complete file is requested again only if it has changed (RFC
 * 9110, 13.1); the rest of an incomplete one only if it has not (If-Range, 13.1.5).
 *
 * @throws ServiceError `bad_input` for a URL that is not allowed, `network` if the file cannot be downloaded; ScrapeError as `portals`
 */
export const download = async (address: string, options: DownloadOptions): Promise<Download> => {
  const url = parseAddress(address, options)
  const folder = join(options.folder, downloadName(address))
  mkdirSync(folder, { recursive: true })
  const name =
    basename(url.pathname)
      .replaceAll(/(?:%[\da-f]{2}|[^\w.-])+/gi, '_')
      .slice(-MAX_NAME) || 'download'
  const file = { path: join(folder, name), part: join(folder, '.part'), validators: join(folder, '.validators.json') }
  for (let attempt = 1; ; attempt++) {
    const before = sizeOf(file.part)
    try {
      const version = await fetchInto(url, file, options)
      return { path: isSameVersion(version, options.loaded ?? null) ? null : file.path, version }
    } catch (error) {
      options.signal?.throwIfAborted()
      const isFinal = error instanceof ServiceError || error instanceof ScrapeError
      if (sizeOf(file.part) > before) attempt = 0
      if (isFinal || attempt >= MAX_ATTEMPTS) throw toServiceError(url, error)
      options.say?.(`the download of ${url.host} broke off at ${sizeOf(file.part)} bytes: resuming`)
      const pause = Bun.sleep((options.pauseMs ?? 1_000) * 2 ** attempt)
      await (options.signal === undefined ? pause : untilAborted(options.signal, pause))
    }
  }
}

const parseAddress = (address: string, { allowPrivate = false }: DownloadOptions): URL => {
  const url = URL.parse(address)
  if (url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:')) return url
  throw new ServiceError('bad_input', `${redactUrl(address)} is not a URL that begins with https://`)
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const toServiceError = (url: URL, error: unknown): ServiceError => {
  if (error instanceof ScrapeError && error.code === 'bad_config')
    return new ServiceError('bad_input', error.message, { cause: error })
  if (error instanceof ServiceError) return error
  return new ServiceError('network', `${url.host}: ${error instanceof Error ? error.message : error}`, { cause: error })
}

type Files = Record<'path' | 'part' | 'validators', string>

/** Aborts its signal when the server sends nothing for too long. */
interface Stall extends Disposable {
  signal: AbortSignal
  /** The server sent something, or it got a request. */
  restart: () => void
  /** No request is in progress. */
  stop: () => void
}

const createStall = (afterMs: number): Stall => {
  const controller = new AbortController()
  let stop = () => {}
  const restart = () => {
    stop()
    stop = setDeadline(afterMs, () => controller.abort(new Error('the server stopped sending')))
  }
  return { signal: controller.signal, restart, stop: () => stop(), [Symbol.dispose]: () => stop() }
}

/** Returns the version that the server has. */
const fetchInto = async (url: URL, file: Files, options: DownloadOptions): Promise<FileVersion> => {
  const stored = readVersion(file.validators)
  const hasPart = sizeOf(file.part) > 0
  const known = existsSync(file.path) || hasPart ? stored : (options.loaded ?? null)
  const at = known === null || strongValidator(known) === null ? 0 : sizeOf(file.part)
  const headers: Record<string, string> = { 'accept-encoding': 'identity', accept: '*/*' }
  if (known !== null && !hasPart) {
    if (known.etag !== null) headers['if-none-match'] = known.etag
    else if (known.lastModified !== null) headers['if-modified-since'] = known.lastModified
  } else if (at > 0) {
    headers.range = `bytes=${at}-`
    headers['if-range'] = strongValidator(known as FileVersion) as string
  }
  using stall = createStall(options.stallMs ?? STALL_MS)
  const signal = AbortSignal.any([stall.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const response = await follow(url, headers, { stall, signal }, options)
  if (response.status === 304 && known !== null) {
    options.say?.(`${url.host} has no newer version than ${known.lastModified ?? 'the one of the last download'}`)
    return known
  }
  if (response.status === 416) {
    rmSync(file.part, { force: true })
    throw new Error('the server has less of the file than before')
  }
  const isRest = response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${at}-`) === true
  if (response.status !== 200 && !isRest) {
    throw new ServiceError('network', `${redactUrl(url.href)} answered with status ${response.status}`)
  }
  rmSync(file.path, { force: true })
  const validators = { etag: response.headers.get('etag'), lastModified: response.headers.get('last-modified') }
  const version = isRest && known !== null ? known : validators
  writeFileSync(file.validators, JSON.stringify(version))
  await writeBody(response, file.part, isRest ? at : 0, stall)
  renameSync(file.part, file.path)
  return version
}

/** A version that the server does not identify never counts as the same. */
const isSameVersion = ({ etag, lastModified }: FileVersion, loaded: FileVersion | null): boolean => {
  if (loaded === null) return false
  return etag === null && loaded.etag === null
    ? lastModified !== null && lastModified === loaded.lastModified
    : etag === loaded.etag
}

const readVersion = (path: string): FileVersion | null => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as FileVersion
  } catch {
    return null
  }
}

/** If-Range takes no weak tag. */
const strongValidator = ({ etag, lastModified }: FileVersion): string | null =>
  etag !== null && !etag.startsWith('W/') ? etag : lastModified

const follow = async (
  first: URL,
  headers: Record<string, string>,
  { stall, signal }: { stall: Stall; signal: AbortSignal },
  { allowPrivate = false, portals, userAgent }: DownloadOptions,
): Promise<Response> => {
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (url.protocol !== 'https:' && !allowPrivate) {
      throw new ServiceError('bad_input', `${first.host} redirects to ${url.protocol}//${url.host}, which is not https`)
    }
    const address = await resolvePublicAddress(url, { allowPrivate })
    stall.stop()
    await portals?.approach(url, signal)
    stall.restart()
    const response = await fetchAt(url, address, {
      method: 'GET',
      headers: userAgent === undefined ? headers : { ...headers, 'user-agent': userAgent },
      signal,
    })
    stall.restart()
    portals?.heed(url, response.status, Object.fromEntries(response.headers), signal)
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    const next = URL.parse(location, url.href)
    if (next === null) throw new ServiceError('network', `${url.host} sent a redirect without a valid URL`)
    url = next
  }
  throw new ServiceError('network', `${first.host} redirects more than ${MAX_REDIRECTS} times`)
}

/** @throws Error if the body ends early or stalls; the bytes received so far stay in the file */
const writeBody = async (response: Response, path: string, at: number, stall: Stall): Promise<void> => {
  // Some servers compress although the request forbids it. Then the header has the length of the compressed body.
  const length = response.headers.has('content-encoding') ? null : response.headers.get('content-length')
  const expected = length === null ? null : at + Number(length)
  if (expected !== null && expected > MAX_BYTES)
    throw new ServiceError('too_large', `the file has ${expected} bytes, more than ${MAX_BYTES}`)
  const descriptor = openSync(path, at === 0 ? 'w' : 'a')
  let bytes = at
  try {
    for await (const chunk of response.body ?? []) {
      stall.restart()
      writeAll(descriptor, chunk)
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new ServiceError('too_large', `the file has more than ${MAX_BYTES} bytes`)
    }
  } finally {
    closeSync(descriptor)
  }
  if (expected !== null && bytes !== expected) throw new Error(`the file ended after ${bytes} of ${expected} bytes`)
}
