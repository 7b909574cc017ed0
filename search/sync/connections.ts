import type { connectDatabase, Sql } from '../../core/postgres/database'
import { createLeader, type Leader } from '../../core/postgres/leader'
import { SYNC_DUTY } from '../../drizzle/queries/search/search-outbox'

/** Connections of one sync's own. Opened when they are used, and again after `end`. */
export interface Connections {
  work: () => Sql
  /** Stands for the lead, through a connection of its own. */
  leader: () => Leader
  end: () => Promise<void>
}

export const createConnections = (databaseUrl: string, openPool: typeof connectDatabase): Connections => {
  let work: Sql | null = null
  let leader: Leader | null = null
  return {
    work() {
      work ??= openPool(databaseUrl, { max: 4, applicationName: 'search-sync', patience: 'background' })
      return work
    },
    leader() {
      leader ??= createLeader(databaseUrl, SYNC_DUTY)
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
