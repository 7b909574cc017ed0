import { ServiceError } from '../service-error'

export interface Admission {
  /**
   * Admits one more for this caller. Call the returned function once it has left.
   *
   * @throws ServiceError `too_many_streams` when the caller has too many, `server_unavailable` when this process has too many
   */
  admit: (caller: string) => () => void
}

/** Limits how many of `what` one caller, and all callers together, can have at the same time. */
export const createAdmission = ({ what, ofOne, inAll }: { what: string; ofOne: number; inAll: number }): Admission => {
  const callers = new Map<string, number>()
  let all = 0
  return {
    admit(caller) {
      const own = callers.get(caller) ?? 0
      if (own >= ofOne) {
        throw new ServiceError('too_many_streams', `this key or account already has ${ofOne} ${what}: close one`)
      }
      if (all >= inAll) throw new ServiceError('server_unavailable', `there are too many ${what}: try again later`)
      callers.set(caller, own + 1)
      all++
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        all--
        const left = (callers.get(caller) ?? 1) - 1
        if (left > 0) callers.set(caller, left)
        else callers.delete(caller)
      }
    },
  }
}
