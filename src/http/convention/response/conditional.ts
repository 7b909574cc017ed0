import { jsonResponse } from '../body/json'

/**
 * A JSON response with an ETag that is a hash of its content (RFC 9110, 8.8.3), so it is the same for every key and process. The ETag
 * is weak because the body may be compressed. Responds 304 when the caller already has this version.
 */
export const conditionalJson = (request: Request, text: string, headers: Record<string, string> = {}): Response => {
  const etag = `W/"${Bun.hash.xxHash3(text).toString(36)}"`
  const validators = { ...headers, etag }
  return matchesEtag(request.headers.get('if-none-match'), etag)
    ? new Response(null, { status: 304, headers: validators })
    : jsonResponse(text, { headers: validators })
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2). */
export const matchesEtag = (header: string | null, etag: string): boolean =>
  header !== null &&
  (header.trim() === '*' || header.split(',').some((candidate) => weak(candidate.trim()) === weak(etag)))

const weak = (etag: string): string => etag.replace(/^W\//, '')
