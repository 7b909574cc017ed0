import type { Sql, TransactionSql } from 'postgres'

export const PROBE_EVERY_MS = 3_000
/** A server that does not answer `select 1` within this time is unreachable or frozen. */
const ANSWER_TIMEOUT_S = 5

/**
 * Sends a trivial query on the pool's next connection. If there is no answer, the driver replaces this connection and all others that
 * have been silent as long (docs/postgres-driver.md).
 */
export const probe = async (db: Sql | TransactionSql): Promise<void> => {
  await db.unsafe('select 1', [], { answer_timeout: ANSWER_TIMEOUT_S } as object)
}
