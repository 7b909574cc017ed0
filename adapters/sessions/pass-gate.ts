import type { RawDocument } from '../adapter'
import { ScrapeError } from '../scrape-error'

/** What a portal puts before its pages until a session has been through it: a disclaimer, a login for guests. */
export interface Gate {
  /** For messages: `the disclaimer`. */
  name: string
  /** Whether this document is the gate instead of what was asked for. */
  isShown: (document: RawDocument) => boolean
  /** Does what a visitor does there; the session's cookies remember it. */
  open: (shown: RawDocument) => Promise<unknown>
}

/**
 * What `ask` brings, through the gate when it stands there. A session that has been through is let in at once: the gate costs
 * nothing until the session has expired.
 *
 * @throws ScrapeError `blocked` when the gate stands there still
 */
export const passGate = async (ask: () => Promise<RawDocument>, gate: Gate): Promise<RawDocument> => {
  const first = await ask()
  if (!gate.isShown(first)) return first
  await gate.open(first)
  const again = await ask()
  if (gate.isShown(again)) throw new ScrapeError('blocked', `${gate.name} lets nobody past, to the ${again.name} page`)
  return again
}
