import type { HttpClient, HttpRequest, RawDocument } from '../../../adapters/adapter'
import type { Said } from './messages'

/** How the requests of a reader's session are answered. */
export type Ask = (said: Extract<Said, { asked: HttpRequest }>) => Promise<RawDocument>

/** Sends a reader's requests through the job's client; each jar of a session is a separate client. */
export const askThrough = (http: HttpClient): Ask => {
  const clients = new Map([[0, http]])
  return ({ jar, asked }) => {
    const client = clients.get(jar) ?? http.withOwnCookies()
    clients.set(jar, client)
    return client.request(asked)
  }
}

export const refuseToAsk: Ask = () => Promise.reject(new Error('kept answers need no request'))

/** Each request is sent to a portal once: if the work restarts, repeated requests get the remembered responses. */
export const rememberAnswers = (ask: Ask): (() => Ask) => {
  const known: { key: string; answer: Promise<RawDocument> }[] = []
  return () => {
    let place = 0
    return (said) => {
      const key = JSON.stringify([said.jar, said.asked])
      if (known[place]?.key !== key) known.splice(place, known.length, { key, answer: ask(said) })
      return (known[place++] as (typeof known)[number]).answer
    }
  }
}
