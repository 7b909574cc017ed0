/** Smaller differences are the time that a response takes, and the seconds that a `Date` header leaves out. */
const SMALLEST_MS = 5_000

let lastDate = 0
let aheadMs = 0

/**
 * Notes the service's time, from the `Date` header of a response. A response that the browser has stored is older than one before
 * and says nothing about now.
 */
export const noteServerTime = (date: string | null | undefined): void => {
  const time = Date.parse(date ?? '')
  if (Number.isNaN(time) || time < lastDate) return
  lastDate = time
  const difference = time - Date.now()
  aheadMs = Math.abs(difference) < SMALLEST_MS ? 0 : difference
}

/** The service's time in milliseconds. The clock of this machine can be wrong, and what people ask for must not shift with it. */
export const serverNow = (): number => Date.now() + aheadMs
