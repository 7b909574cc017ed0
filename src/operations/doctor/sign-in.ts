import { ClientError } from 'openid-client'
import type { IdentityProvider } from '../../config'
import { discoverProvider } from '../../people/discover-provider'
import { type Diagnosis, fault, ok } from './diagnosis'

/** The endpoints that a sign-in uses (OpenID Connect Discovery 1.0, 3). */
const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** Whether the provider responds under its configured issuer. Otherwise nobody can sign in. */
export const examineProvider = async (provider: IdentityProvider): Promise<Diagnosis[]> => {
  const { issuer } = provider
  try {
    const metadata = (await discoverProvider(provider)).serverMetadata()
    const missing = NEEDED.filter((name) => metadata[name] === undefined)
    if (missing.length === 0) return [ok('sign-in', `${issuer} answers as an OpenID provider`)]
    return [
      fault(
        'sign-in',
        `${issuer} does not publish its ${missing.join(', ')}`,
        "check the provider's OpenID Connect settings",
      ),
    ]
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const other = otherIssuer(error)
    if (other !== null) {
      return [
        fault(
          'sign-in',
          `the provider at ${issuer} has the issuer ${other}`,
          'set OIDC_ISSUER to that issuer, if it is your provider',
        ),
      ]
    }
    return [
      fault(
        'sign-in',
        `${issuer} does not answer as an OpenID provider: ${error.message}`,
        'set OIDC_ISSUER to the URL under which the provider serves /.well-known/openid-configuration',
      ),
    ]
  }
}

/** The issuer in the discovery document, if it is not the requested one. */
const otherIssuer = ({ cause }: ClientError): string | null => {
  const { body } = (cause ?? {}) as { body?: { issuer?: unknown } }
  return typeof body?.issuer === 'string' ? body.issuer.slice(0, 200) : null
}
