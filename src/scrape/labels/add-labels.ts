import type { StoredLabels } from '../../../drizzle/queries/sources/source-labels'
import type { UnreadLabel } from '../../../drizzle/schema/sources/source-labels'

/** The unread labels of some scrapes of one source, and how many of these scrapes have each label. */
export interface NotedLabels {
  scrapes: number
  labels: ReadonlyMap<string, number>
}

/** Maximum labels stored for a source. */
export const MAX_LABELS = 100
/** The figures of a source cover the last one or two windows of this many scrapes. */
export const WINDOW_SCRAPES = 100
/** Before this many scrapes, most labels are new, so new ones are not reported. */
export const MIN_SCRAPES_BEFORE_REPORT = 20

/** A label has risen if it is on at least this many pages of a window ... */
const MIN_RISEN_SCRAPES = 20
/** ... and on this many times as many pages as in the previous window. */
const MIN_RISE = 4

/**
 * Adds the labels of some scrapes to those that are stored. `reported` are labels that none of the stored scrapes had, and labels that
 * are unread on many more pages than before, perhaps because the portal changed and the adapter no longer reads them. If the list is
 * full, a new label replaces one that was not seen lately; if there is none, it is left out.
 */
export const addLabels = (
  stored: StoredLabels,
  noted: NotedLabels,
  now: string,
): { stored: StoredLabels; reported: string[] } => {
  const isNewWindow = stored.scrapes >= WINDOW_SCRAPES
  const before = stored.labels.map((label) => (isNewWindow ? { ...label, seen: 0, seenBefore: label.seen } : label))
  const labels = before.map((label) => withScrapes(label, noted, now))
  const scrapes = (isNewWindow ? 0 : stored.scrapes) + noted.scrapes
  const scrapesBefore = isNewWindow ? stored.scrapes : stored.scrapesBefore
  const known = new Set(labels.map(({ label }) => label))
  const fresh = [...noted.labels].flatMap(([label, seen]): UnreadLabel[] =>
    known.has(label) ? [] : [{ label, seen, seenBefore: 0, firstSeenAt: now, lastSeenAt: now, isKnown: false }],
  )
  const unseen = labels
    .filter(({ seen, seenBefore, isKnown }) => seen + seenBefore === 0 && !isKnown)
    .sort((one, other) => (one.lastSeenAt < other.lastSeenAt ? -1 : 1))
  const excess = Math.max(0, labels.length + fresh.length - MAX_LABELS)
  const removed = new Set(unseen.slice(0, excess))
  const kept = labels.filter((label) => !removed.has(label))
  const added = fresh.slice(0, MAX_LABELS - kept.length)
  const risen = labels.filter((label, index) => {
    const hadRisen = hasRisen(before[index] as UnreadLabel, { scrapes: scrapes - noted.scrapes, scrapesBefore })
    return !hadRisen && hasRisen(label, { scrapes, scrapesBefore })
  })
  const isReported = stored.scrapes + stored.scrapesBefore >= MIN_SCRAPES_BEFORE_REPORT
  return {
    stored: {
      scrapes,
      scrapesBefore,
      labels: [...kept, ...added],
    },
    reported: isReported ? [...added, ...risen].map(({ label }) => label) : [],
  }
}

/**
 * Whether a label is on many more pages than in the previous window. A window that has just begun counts as full, so each rise is
 * reported once.
 */
const hasRisen = (
  { seen, seenBefore, isKnown }: UnreadLabel,
  { scrapes, scrapesBefore }: Pick<StoredLabels, 'scrapes' | 'scrapesBefore'>,
): boolean => {
  if (isKnown || scrapesBefore === 0) return false
  const share = (seen * WINDOW_SCRAPES) / Math.max(scrapes, WINDOW_SCRAPES)
  const shareBefore = (seenBefore * WINDOW_SCRAPES) / scrapesBefore
  return share >= MIN_RISEN_SCRAPES && share >= MIN_RISE * shareBefore
}

const withScrapes = (label: UnreadLabel, { labels }: NotedLabels, now: string): UnreadLabel => {
  const seen = labels.get(label.label) ?? 0
  return seen === 0 ? label : { ...label, seen: label.seen + seen, lastSeenAt: now }
}
