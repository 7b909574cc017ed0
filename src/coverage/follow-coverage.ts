import { CHANNELS } from '../../core/channels'
import type { Sql } from '../../core/postgres/database'

export interface CoverageNews {
  /** When this process last heard that the coverage changed, in the time of `performance.now`. */
  heardAt: () => number
}

/** Listens for counts of sources, and for sources that are retired or restored. */
export const followCoverage = (sql: Sql): CoverageNews => {
  let heardAt = Number.NEGATIVE_INFINITY
  let isFirst = true
  const note = () => {
    heardAt = performance.now()
  }
  // Notifications that were sent while the connection was lost did not arrive.
  void sql.listen(CHANNELS.coverageChanged, note, () => {
    if (!isFirst) note()
    isFirst = false
  })
  return { heardAt: () => heardAt }
}
