import type { Sql } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { countCoverage } from '../../../src/coverage/count-coverage'

/** Counts as the scheduler's leader does, without competing for the lead. */
export const countNow = (sql: Sql): Promise<void> => {
  const lead: Pick<Lead, 'begin' | 'isAtWork'> = {
    begin: (own, write) => own.begin(write) as never,
    isAtWork: () => {},
  }
  return countCoverage(sql, lead, () => false)
}
