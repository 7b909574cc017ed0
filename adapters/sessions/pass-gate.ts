import type { RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'

/** A page that a portal shows until a session has passed it: a disclaimer, a guest login. */
export interface Gate {
  /** For messages: `the disclaimer`. */
  name: string
  /** Whether this document is the gate instead of the requested page. */
  isShown: (document: RawDocument) => boolean
  /** Passes the gate as a visitor would. The session's cookies record it. */
  open: (shown: RawDocument) => Promise<unknown>
}

/**
 * Returns what `ask` fetches, and passes the gate first if it is shown. A session that has passed does not see it again
 * until the session expires.
 *
 * @throws ScrapeError `blocked` when the gate is still shown
 */
export const passGate = async (ask: () => Promise<RawDocument>, gate: Gate): Promise<RawDocument> => {
  const first = await ask()
  if (!gate.isShown(first)) return first
  await gate.open(first)
  const again = await ask()
  if (gate.isShown(again)) throw new ScrapeError('blocked', `${gate.name} still blocks the ${again.name} page`)
  return again
}
