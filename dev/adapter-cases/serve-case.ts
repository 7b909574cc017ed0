import type { HttpRequest } from '../../adapters/adapter'
import type { Case, Exchange } from './case'
import { isAnswerTo, toDocument } from './replay'

export interface CaseServer {
  /** `http://127.0.0.1:port` */
  origin: string
  port: number
  /** Paths and queries of the requests, in order. */
  asked: readonly string[]
  stop: () => Promise<void>
}

/**
 * Serves the portal of a case on a local port. It finds responses by path and query and ignores the host name;
 * everything else is 404.
 */
export const serveCase = ({ exchanges, folder }: Case): CaseServer => {
  const given = new Set<Exchange>()
  const paths: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const asked = await toRequest(request)
      paths.push(asked.url)
      const arrived = exchanges.find(
        ({ redirectedTo }) => redirectedTo !== undefined && pathOf(redirectedTo) === asked.url,
      )
      const answers = exchanges.filter((candidate) => isAnswerTo({ ...candidate, url: pathOf(candidate.url) }, asked))
      const exchange = answers.find((candidate) => !given.has(candidate)) ?? answers.at(-1) ?? arrived
      if (exchange === undefined) return new Response('the case has no response for this request', { status: 404 })
      given.add(exchange)
      if (exchange.redirectedTo !== undefined && exchange !== arrived) return Response.redirect(exchange.redirectedTo)
      const { status, headers, body } = toDocument(exchange, folder)
      return new Response([204, 304].includes(status) ? null : body, { status, headers: { ...headers } })
    },
  })
  const { port = 0 } = server
  return { origin: `http://127.0.0.1:${port}`, port, asked: paths, stop: () => server.stop(true) }
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

const toRequest = async (request: Request): Promise<HttpRequest> => {
  const asked = { name: '', url: pathOf(request.url), method: request.method as 'GET' | 'POST' }
  const body = await request.text()
  const type = request.headers.get('content-type') ?? ''
  if (type.includes('json')) return { ...asked, json: JSON.parse(body) }
  return type.includes('form-urlencoded') ? { ...asked, form: Object.fromEntries(new URLSearchParams(body)) } : asked
}
