import { codeOf } from '../../core/error-code'
import type { FailureClassName } from '../../core/sources/failure-classes'

/*
 * Error texts of our own for connections that fail: the texts of Bun, the resolver and Chromium are written for programmers
 * ("pass `verbose: true`"). Each error is recognized by its code.
 */

/** Codes of Bun's `fetch` (1.4.5) and of the resolver. The text follows the host's name. */
const BY_CODE: Readonly<Record<string, string>> = {
  // Bun also reports this when there is no route to the host.
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before its response was complete',
  ECONNABORTED: 'closed the connection before its response was complete',
  EPIPE: 'closed the connection before its response was complete',
  ETIMEDOUT: 'did not accept a connection in time',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ENOTFOUND: 'is not known: name not found',
  EAI_AGAIN: 'could not be looked up: the name service did not answer',
  DNS_ENOTFOUND: 'is not known: name not found',
  DNS_ENODATA: 'is not known: its name has no IP address',
  DNS_ETIMEOUT: 'could not be looked up: the name service did not answer',
  DNS_ESERVFAIL: 'could not be looked up: the name service failed',
  DNS_EREFUSED: 'could not be looked up: the name service refused the question',
  DNS_ECONNREFUSED: 'could not be looked up: the name service did not answer',
  EPROTO: 'does not speak TLS as expected: the handshake failed',
  Malformed_HTTP_Response: 'sent a response that is not valid HTTP',
  InvalidHTTPResponse: 'sent a response that is not valid HTTP',
  ResponseHeadersTooLarge: 'sent a response whose headers are too large',
  InvalidContentLength: 'sent a response that is not valid HTTP: its Content-Length is not a number, or there are two',
  ZlibError: 'sent a response that cannot be decompressed',
  BrotliDecompressionError: 'sent a response that cannot be decompressed',
  ZstdDecompressionError: 'sent a response that cannot be decompressed',
}

/** Codes of OpenSSL's certificate checks, as Node and Bun name them. */
const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an authority that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  // Browsers fetch missing intermediate certificates. Bun does not.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'it is signed by an unknown authority, or the server does not send its intermediate certificate',
}
const IS_CERTIFICATE = /^(CERT_|UNABLE_TO_|ERR_TLS_CERT|CRL_)|CERTIFICATE|SELF_SIGNED/

/** Codes of Chromium (`net::ERR_...`). Its connections go through our proxy, which refuses connections that it cannot make. */
const BY_CHROMIUM_CODE: Readonly<Record<string, string>> = {
  CONNECTION_REFUSED: BY_CODE.ECONNREFUSED as string,
  CONNECTION_RESET: BY_CODE.ECONNRESET as string,
  CONNECTION_CLOSED: BY_CODE.ECONNRESET as string,
  EMPTY_RESPONSE: BY_CODE.ECONNRESET as string,
  SOCKS_CONNECTION_FAILED: 'did not accept the connection, or its name was not found',
  PROXY_CONNECTION_FAILED: 'did not accept the connection, or its name was not found',
  NAME_NOT_RESOLVED: BY_CODE.ENOTFOUND as string,
  CONNECTION_TIMED_OUT: BY_CODE.ETIMEDOUT as string,
  TIMED_OUT: BY_CODE.ETIMEDOUT as string,
  ADDRESS_UNREACHABLE: BY_CODE.EHOSTUNREACH as string,
  SSL_PROTOCOL_ERROR: BY_CODE.EPROTO as string,
  CERT_DATE_INVALID: certificateProblem(CERTIFICATE.CERT_HAS_EXPIRED),
  CERT_COMMON_NAME_INVALID: certificateProblem(CERTIFICATE.ERR_TLS_CERT_ALTNAME_INVALID),
  CERT_AUTHORITY_INVALID: certificateProblem(CERTIFICATE.SELF_SIGNED_CERT_IN_CHAIN),
  INVALID_HTTP_RESPONSE: BY_CODE.InvalidHTTPResponse as string,
  CONTENT_DECODING_FAILED: BY_CODE.ZlibError as string,
  TOO_MANY_REDIRECTS: 'redirects too many times',
}

/** One sentence that names the host and what failed: `portal.example refused the connection`. Never the original error's text. */
export const networkProblem = (host: string, error: unknown): string => {
  const code = codeOf(error) ?? ''
  const known = BY_CODE[code]
  if (known !== undefined) return `${host} ${known}`
  if (IS_CERTIFICATE.test(code)) return `${host} ${certificateProblem(CERTIFICATE[code])}`
  return `the request to ${host} failed${/^[A-Za-z][A-Za-z0-9_]{2,40}$/.test(code) ? ` (${code})` : ''}`
}

/** The class of the failure, if it is more specific than the code `network`. */
export const networkFailureClass = (error: unknown): FailureClassName | null => {
  const code = codeOf(error) ?? ''
  if (IS_CERTIFICATE.test(code)) return 'certificate'
  return code.startsWith('DNS_') || ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'].includes(code) ? 'name_not_found' : null
}

/** The class for a message of Playwright. A name that our proxy cannot resolve looks like a refused connection there. */
export const browserFailureClass = (message: string): FailureClassName | null => {
  if (message.includes('net::ERR_NAME_NOT_RESOLVED')) return 'name_not_found'
  if (message.includes('net::ERR_TOO_MANY_REDIRECTS')) return 'redirected'
  return message.includes('net::ERR_CERT_') ? 'certificate' : null
}

/** As `networkProblem`, for a message of Playwright (`page.goto: net::ERR_NAME_NOT_RESOLVED at http://...`). */
export const browserProblem = (host: string, message: string): string => {
  const [, code] = /net::ERR_([A-Z0-9_]+)/.exec(message) ?? []
  if (code !== undefined) return `${host} ${BY_CHROMIUM_CODE[code] ?? `cannot be loaded (${code})`}`
  if (/closed/i.test(message)) return `the page of ${host} was closed before it was read`
  return `the browser could not read the page of ${host}`
}

/** The message for a host that missed a time limit. */
export const tookTooLong = (host: string, limitMs: number): string =>
  `${host} did not answer within ${limitMs / 1000} s`

function certificateProblem(what = 'its chain of signatures cannot be checked'): string {
  return `has a TLS certificate problem: ${what}`
}
