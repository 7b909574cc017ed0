import { refusePrivateUrl } from '../../adapters/http/public-address'
import { ScrapeError } from '../../adapters/scrape-error'
import { findOverlength, WATCH_BOUNDS } from '../../core/bounds'
import { ServiceError } from '../../core/service-error'

const TAKES = 'webhook_url must be an https URL on the public internet, without a user or password'

/**
 * Checks the URL of a webhook as far as possible without DNS. The name is looked up before each request. `receiver` is its origin.
 * `allowPrivate`: also accepts http and private addresses, for tests.
 *
 * @throws ServiceError `bad_input`
 */
export const readWebhookUrl = (
  text: string,
  { allowPrivate }: { allowPrivate: boolean },
): { webhookUrl: string; receiver: string } => {
  const problem = findOverlength(text, WATCH_BOUNDS.urlCharacters, 'webhook_url')
  if (problem !== null) throw new ServiceError('bad_input', problem)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'https:' && !allowPrivate)) throw new ServiceError('bad_input', TAKES)
  try {
    refusePrivateUrl(url, { allowPrivate })
  } catch (cause) {
    if (cause instanceof ScrapeError) throw new ServiceError('bad_input', TAKES, { cause })
    throw cause
  }
  url.hash = ''
  return { webhookUrl: url.href, receiver: url.origin }
}
