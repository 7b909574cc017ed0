import type { HttpRequest } from '../adapter'
import { ScrapeError } from '../scrape-error'

/** A request as it is sent: with its body encoded. */
export interface Sent {
  name: string
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: string | null
  isRobots: boolean
}

/** @throws ScrapeError `bad_config` for an invalid URL */
export const toSent = ({ name, url, method, headers = {}, form, json }: HttpRequest): Sent => {
  if (!URL.canParse(url)) throw new ScrapeError('bad_config', `${JSON.stringify(url.slice(0, 200))} is not a valid URL`)
  const common = { name, url: new URL(url), isRobots: false }
  if (form !== undefined) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return {
      ...common,
      method: method ?? 'POST',
      headers: { ...type, ...headers },
      body: `${new URLSearchParams(form)}`,
    }
  }
  if (json !== undefined) {
    const type = { 'content-type': 'application/json' }
    return { ...common, method: method ?? 'POST', headers: { ...type, ...headers }, body: JSON.stringify(json) }
  }
  return { ...common, method: method ?? 'GET', headers, body: null }
}

/** As browsers do (Fetch standard, HTTP-redirect fetch): a POST is not repeated unless the status says so. */
export const redirected = (sent: Sent, url: URL, status: number): Sent => {
  // Do not send a token for one host to another.
  const { 'content-type': type, ...others } = sent.headers
  const headers = url.origin === sent.url.origin ? others : {}
  if (sent.method === 'GET') return { ...sent, url, headers }
  if (status !== 307 && status !== 308) return { ...sent, url, method: 'GET', headers, body: null }
  return { ...sent, url, headers: type === undefined ? headers : { ...headers, 'content-type': type } }
}
