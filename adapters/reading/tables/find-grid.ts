import type { Element } from 'domhandler'
import { ScrapeError } from '../../scrape-error'
import type { ShortTexts } from '../text'
import { type Grid, gridOf, gridUnder } from './table'

/** The first of the tables that has a row with all of `headings`; or the headings missing from the table that has most of them. */
export const findGrid = (
  tables: readonly Element[],
  headings: readonly string[],
  texts: ShortTexts,
): { table: Element; grid: Grid } | { missing: string[] } => {
  let missing = [...headings]
  for (const table of tables) {
    const grid = gridUnder(gridOf(table), headings, texts)
    if (!('missing' in grid)) return { table, grid }
    if (grid.missing.length < missing.length) missing = grid.missing
  }
  return { missing }
}

/**
 * A value under the wrong heading is worse than no value. `headings` and `region` are for messages.
 *
 * @throws ScrapeError `page_changed` when a row has more or fewer cells than there are headings
 */
export const expectEvenRows = (grid: Grid, headings: readonly string[], region: string): void => {
  const ragged = grid.rows.find((line) => line.length !== grid.headings.length)
  if (ragged === undefined) return
  const under = `${grid.headings.length} headings ("${headings.join('", "')}")`
  throw new ScrapeError('page_changed', `a row of ${ragged.length} cells under ${under} in "${region}"`)
}

/** @throws ScrapeError `page_changed` unless a notice in place of the rows says that there are none */
export const expectNoneNotice = (notice: string, headings: readonly string[]): void => {
  if (NONE.test(notice) && !NOT_KNOWN.test(notice)) return
  throw new ScrapeError('page_changed', `"${notice}" instead of rows under "${headings.join('", "')}"`)
}

/** Notices that mean that there are none. */
const NONE = /\b(?:no|none|not|nothing|zero|0|n\/a)\b/i
/** Notices that say that the rows did not arrive. */
const NOT_KNOWN =
  /\b(?:load(?:ed|ing)?|retriev(?:e|ed|ing)|wait|moment|error|fail(?:ed|ure)?|unable|could not|cannot|can't|try again|timed? ?out|connect(?:ion)?|respond(?:ing)?|unavailable|not (?:yet )?available|temporarily)\b/i
