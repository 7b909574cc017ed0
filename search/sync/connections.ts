import type { connectDatabase, Sql } from '../../core/postgres/database'
import { createLeader, type Leader } from '../../core/postgres/leader/leader'

/** The connections of the sync of one instance. They open on first use, and can open again after `end`. */
export interface Connections {
  work: () => Sql
  /** Competes for the lead, on a separate connection. */
  leader: () => Leader
  end: () => Promise<void>
}

export const createConnections = (databaseUrl: string, duty: string, openPool: typeof connectDatabase): Connections => {
  let work: Sql | null = null
  let leader: Leader | null = null
  return {
    work() {
      work ??= openPool(databaseUrl, { max: 4, applicationName: 'search-sync', patience: 'background' })
      return work
    },
    leader() {
      leader ??= createLeader(databaseUrl, duty)
      return leader
    },
    async end() {
      const [standing, opened] = [leader, work]
      leader = null
      work = null
      await Promise.all([standing?.stop(), opened?.end({ timeout: 1 })])
    },
  }
}
