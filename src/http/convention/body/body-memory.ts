import { BODIES_UNDER_WAY, REQUEST_BODY } from '../../../../core/bounds'
import { HttpError } from '../errors'
import type { Handler } from '../handler'

/** Stands for all callers who are not authenticated yet. */
const UNAUTHENTICATED = 'unauthenticated'

interface Reservation {
  moveTo: (caller: string, bytes: number) => boolean
  resize: (bytes: number) => void
  release: () => void
}

const reservations = new WeakMap<Request, Reservation>()

/** Bun receives up to this many bytes of a body even if nobody reads it. */
const RECEIVED_UNREAD = REQUEST_BODY.bytes

const TOO_MANY = 'too many request bodies in progress: try again shortly'

/**
 * Limits the memory of request bodies before they are read. Bun starts to receive a body (up to 1 MB) as soon as it handles the
 * request. If a key lookup takes 50 ms, a thousand callers without a valid key would use 1 GB (measured 2026-11-22). A request keeps
 * its reservation until its response is ready.
 */
export const boundBodies = () => {
  const ledger = createLedger()
  return (next: Handler, request: Request): Handler => {
    const bytes = declaredBytes(request, RECEIVED_UNREAD)
    if (bytes === 0) return next
    const reservation = ledger.reserve(bytes)
    if (reservation === null) {
      return () => Response.json({ error: TOO_MANY }, { status: 503 })
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
 * Charges a body to its caller after authentication, so that a caller with many slow uploads does not block others. `bytes`: the most
 * bytes that will be read.
 *
 * @throws HttpError 503 when the caller has too many bodies in progress
 */
export const assignBody = (request: Request, caller: string, bytes: number): void => {
  if (reservations.get(request)?.moveTo(caller, bytes) === false) throw new HttpError(503, TOO_MANY)
}

/** Records the actual size of a body. A chunked body has no declared length. */
export const settleBody = (request: Request, bytes: number): void => reservations.get(request)?.resize(bytes)

/** The declared length of the body, but at most `most`. A chunked body declares no length, so it counts as `most`. */
export const declaredBytes = ({ headers }: Request, most: number): number => {
  if (headers.has('transfer-encoding')) return most
  const length = Number(headers.get('content-length') ?? 0)
  return Math.min(Number.isNaN(length) ? 0 : length, most)
}

const createLedger = () => {
  const taken = new Map<string, number>()
  const add = (owner: string, bytes: number): void => {
    const sum = (taken.get(owner) ?? 0) + bytes
    if (sum === 0) taken.delete(owner)
    else taken.set(owner, sum)
  }
  const hasRoom = (owner: string, bytes: number): boolean => {
    const most = owner === UNAUTHENTICATED ? BODIES_UNDER_WAY.unauthenticatedBytes : BODIES_UNDER_WAY.callerBytes
    return (taken.get(owner) ?? 0) + bytes <= most
  }
  return {
    /** Null when the limit is reached. */
    reserve: (declared: number): Reservation | null => {
      if (!hasRoom(UNAUTHENTICATED, declared)) return null
      let owner = UNAUTHENTICATED
      let bytes = declared
      add(owner, bytes)
      const resize = (other: number): void => {
        add(owner, other - bytes)
        bytes = other
      }
      return {
        moveTo: (caller, most) => {
          if (!hasRoom(caller, most)) return false
          add(owner, -bytes)
          owner = caller
          bytes = most
          add(owner, bytes)
          return true
        },
        resize,
        release: () => resize(0),
      }
    },
  }
}
