import * as client from 'openid-client'
import type { IdentityProvider } from '../config'

/** Time limit of one request to the provider. */
const PROVIDER_TIMEOUT_S = 10

/**
 * Fetches the provider's discovery document (OpenID Connect Discovery 1.0, 4).
 *
 * @throws network errors; ClientError when the response is not from a provider, or names another issuer
 */
export const discoverProvider = ({ issuer, clientId, clientSecret }: IdentityProvider): Promise<client.Configuration> =>
  client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: PROVIDER_TIMEOUT_S,
    // Plain HTTP is only for a provider on this machine; the configuration refuses it for others.
    execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
  })
