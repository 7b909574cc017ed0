import type { Ask } from './ask'
import type { Said, SentPage, Told, Work } from './messages'
import type { Reader } from './reader'
import { toError, toSent } from './sent-error'

type Outcome = Extract<Said, { parcel: string } | { page: SentPage } | { golden: string } | { isOver: true }>
export type Conversation = AsyncGenerator<Outcome, void>

/**
 * One session of a reader, from start to end: sends its requests and yields its results.
 *
 * @throws ReaderEnded; what the adapter throws, and the error of a request if the adapter rethrows it
 */
export async function* converse(reader: Reader, session: number, work: Work, ask: Ask): Conversation {
  const stillRunning = new Map<number, Promise<Told>>()
  const errors = new Map<number, unknown>()
  let isOver = false
  try {
    let told: Told = { session, work }
    for (;;) {
      const goOn: Told[] = []
      for (const one of await reader.take(told)) {
        if ('asked' in one) {
          const { request } = one
          const failed = (error: unknown): Told => {
            errors.set(request, error)
            return { session, request, error: toSent(error) }
          }
          stillRunning.set(
            request,
            ask(one).then((document): Told => ({ session, request, document }), failed),
          )
          continue
        }
        isOver = !('page' in one)
        if ('error' in one) throw one.of === null ? toError(one.error) : errors.get(one.of)
        yield one
        if (isOver) return
        goOn.push({ session, next: true })
      }
      if (goOn.length + stillRunning.size === 0) throw new Error('a reader stopped without a request or a result')
      told = goOn[0] ?? (await Promise.race(stillRunning.values()))
      if ('request' in told) stillRunning.delete(told.request)
    }
  } finally {
    if (!isOver) reader.forget(session)
  }
}
