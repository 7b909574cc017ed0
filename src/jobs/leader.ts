import { connectDatabase } from '../../drizzle/database'
import { findSession, tryToLead } from '../../drizzle/queries/try-to-lead'

export interface Leader {
  /** Whether this process has the duty now; takes it when nobody has. */
  leads: () => Promise<boolean>
  /** Gives the duty to whoever asks next. */
  stop: () => Promise<void>
}

/**
 * One process among many has a duty, as long as its connection to the database lasts: whoever dies or is cut off loses it at
 * once, without a clock.
 */
export const createLeader = (databaseUrl: string, duty: string): Leader => {
  const connection = connectDatabase(databaseUrl, { max: 1, applicationName: `${duty}-leader` })
  let session: string | null = null
  return {
    async leads() {
      if (session !== null && session !== (await findSession(connection))) session = null
      session ??= await tryToLead(connection, duty)
      return session !== null
    },
    async stop() {
      await connection.end({ timeout: 1 })
    },
  }
}
