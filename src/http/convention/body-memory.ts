import { BODIES_UNDER_WAY, REQUEST_BODY } from '../../../core/bounds'
import type { CommonHeaders } from './common-headers'
import { HttpError } from './errors'

type Handler = (request: Request, ...rest: unknown[]) => unknown

/** Whose body it is while nobody's key has been judged. */
const UNJUDGED = 'unjudged'

interface Reservation {
  moveTo: (caller: string) => boolean
  resize: (bytes: number) => void
  release: () => void
}

const reservations = new WeakMap<Request, Reservation>()

const TOO_MANY = 'too many request bodies are under way: try again shortly'

/**
 * Bounds the memory that bodies take before they are read. Bun receives a body (up to 1 MB of it) from the moment its request is
 * handled: a thousand callers without a valid key whose look-up takes 50 ms would cost 1 GB (measured 2026-11-22). A request keeps its
 * share until it is answered.
 */
export const boundBodies = (headersOf: CommonHeaders) => {
  const ledger = createLedger()
  return (next: Handler, request: Request): Handler => {
    const bytes = declaredBytes(request)
    if (bytes === 0) return next
    const reservation = ledger.reserve(bytes)
    if (reservation === null) {
      return () => Response.json({ error: TOO_MANY }, { status: 503, headers: headersOf(request) })
    }
    reservations.set(request, reservation)
    return (...input) => {
      const answer = next(...input)
      if (answer instanceof Promise) return answer.finally(reservation.release)
      reservation.release()
      return answer
    }
  }
}

/**
 * Counts a body as its caller's own once the key is judged, so that a caller who sends many slowly is in nobody else's way.
 *
 * @throws HttpError 503 when the caller has too many under way
 */
export const assignBody = (request: Request, callerHash: string): void => {
  if (reservations.get(request)?.moveTo(callerHash) === false) throw new HttpError(503, TOO_MANY)
}

/** What a body came to; a chunked one has no declared length. */
export const settleBody = (request: Request, bytes: number): void => reservations.get(request)?.resize(bytes)

/** As much as Bun receives of a body that nobody reads. */
const declaredBytes = ({ headers }: Request): number => {
  if (headers.has('transfer-encoding')) return REQUEST_BODY.bytes
  const length = Number(headers.get('content-length') ?? 0)
  return Math.min(Number.isNaN(length) ? 0 : length, REQUEST_BODY.bytes)
}

const createLedger = () => {
  const taken = new Map<string, number>()
  const add = (owner: string, bytes: number): void => {
    const sum = (taken.get(owner) ?? 0) + bytes
    if (sum === 0) taken.delete(owner)
    else taken.set(owner, sum)
  }
  const hasRoom = (owner: string, bytes: number): boolean => {
    const most = owner === UNJUDGED ? BODIES_UNDER_WAY.unjudgedBytes : BODIES_UNDER_WAY.callerBytes
    return (taken.get(owner) ?? 0) + bytes <= most
  }
  return {
    /** Null: there is no room. */
    reserve: (declared: number): Reservation | null => {
      if (!hasRoom(UNJUDGED, declared)) return null
      let owner = UNJUDGED
      let bytes = declared
      add(owner, bytes)
      const resize = (other: number): void => {
        add(owner, other - bytes)
        bytes = other
      }
      return {
        moveTo: (caller) => {
          if (!hasRoom(caller, bytes)) return false
          add(owner, -bytes)
          owner = caller
          add(owner, bytes)
          return true
        },
        resize,
        release: () => resize(0),
      }
    },
  }
}
