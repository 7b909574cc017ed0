import type { connectDatabase, Sql } from '../../drizzle/database'

/** Connections of one sync's own, because leadership is a connection's. Opened when they are used, and after `end` anew. */
export interface Connections {
  /** One connection, so that the lock and the reads stand and fall together. */
  leader: () => Sql
  /** For everything else. */
  work: () => Sql
  end: () => Promise<void>
}

export const createConnections = (databaseUrl: string, openPool: typeof connectDatabase): Connections => {
  let leader: Sql | null = null
  let work: Sql | null = null
  return {
    leader() {
      leader ??= openPool(databaseUrl, { max: 1, applicationName: 'search-sync-leader' })
      return leader
    },
    work() {
      work ??= openPool(databaseUrl, { max: 3, applicationName: 'search-sync' })
      return work
    },
    async end() {
      const opened = [leader, work]
      leader = null
      work = null
      await Promise.all(opened.map((one) => one?.end({ timeout: 1 })))
    },
  }
}
