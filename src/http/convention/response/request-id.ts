const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

const made = new WeakMap<Request, string>()

/** The caller's request id if it is well-formed, otherwise a new one, which stays the same for this request. */
export const requestIdOf = (request: Request): string => {
  const given = request.headers.get('x-request-id')
  if (given !== null && SANE_REQUEST_ID.test(given)) return given
  const known = made.get(request)
  if (known !== undefined) return known
  const id = crypto.randomUUID()
  made.set(request, id)
  return id
}
