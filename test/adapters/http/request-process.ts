import { createPortalAccess } from '../../../adapters/http/http-client'

/*
 * Requests the URLs of its arguments, and prints how each request fails, one line each. A process of its own, because certificate
 * authorities are read from the environment (NODE_EXTRA_CA_CERTS) once.
 */
const access = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
for (const url of Bun.argv.slice(2)) {
  const asking = access.clientFor('elm', AbortSignal.timeout(60_000)).request({ name: 'page', url })
  const failure = await asking.then(
    ({ body }) => ({ code: null, failureClass: null, message: body }),
    ({ code, failureClass, message }) => ({ code, failureClass, message }),
  )
  console.log(JSON.stringify(failure))
}
