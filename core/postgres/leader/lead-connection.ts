import { waitAtMost } from '../../concurrency/wait-at-most'
import { ServiceError } from '../../service-error'
import { connectDatabase, type Sql } from '../database'

/** The connection that takes, renews and gives up a duty. Only these queries use it, so that no work delays them. */
export interface LeadConnection {
  /** Connects, unless there is a connection. On a slow network this takes longer than a query may. */
  connect: () => Promise<void>
  /** Queries the database. A connection that does not answer may be dead, so the next query gets a new one. */
  ask: <Answer>(question: (db: Sql) => Promise<Answer>, withinMs?: number) => Promise<Answer>
  end: () => Promise<void>
}

/** Time limit of a query, including a new connection if needed. */
const ANSWER_MS = 3_000
/** A new connection takes five round trips. */
const CONNECT_MS = 5_000

export const createLeadConnection = (databaseUrl: string, duty: string): LeadConnection => {
  let connection: Sql | null = null

  const ask: LeadConnection['ask'] = async (question, withinMs = ANSWER_MS) => {
    connection ??= connectDatabase(databaseUrl, {
      max: 1,
      applicationName: `${duty}-leader`,
      patience: 'background',
    })
    const asked = connection
    try {
      const answer = await waitAtMost(withinMs, question(asked))
      if (answer === 'late') throw new ServiceError('server_unavailable', 'the database does not answer')
      return answer as Exclude<typeof answer, 'late'>
    } catch (error) {
      if (connection === asked) connection = null
      asked.end({ timeout: 0 }).catch(() => {})
      throw error
    }
  }

  return {
    ask,
    async connect() {
      if (connection === null) await ask((db) => db`select 1`, CONNECT_MS)
    },
    async end() {
      await connection?.end({ timeout: 1 })
    },
  }
}
