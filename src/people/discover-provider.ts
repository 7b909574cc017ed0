import * as client from 'openid-client'
import type { IdentityProvider } from '../config'

/** How long one question to the provider may take. */
const PROVIDER_TIMEOUT_S = 10

/**
 * What the provider says of itself, under its own address (OpenID Connect Discovery 1.0, 4).
 *
 * @throws what the network throws; ClientError where the answer is none of a provider, or names another issuer
 */
export const discoverProvider = ({ issuer, clientId, clientSecret }: IdentityProvider): Promise<client.Configuration> =>
  client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: PROVIDER_TIMEOUT_S,
    // Plain HTTP is for a provider on this very machine: the configuration lets no other through.
    execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
  })
