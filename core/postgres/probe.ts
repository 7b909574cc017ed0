import type { Sql, TransactionSql } from 'postgres'

export const PROBE_EVERY_MS = 3_000
/** A server that does not answer the simplest question within this time is out of reach, or stands still. */
const ANSWER_TIMEOUT_S = 5

/**
 * Asks the server for a sign of life, on the connection that is next. If there is none, the driver replaces the connection, and those
 * that are as silent (docs/postgres-driver.md).
 */
export const probe = async (db: Sql | TransactionSql): Promise<void> => {
  await db.unsafe('select 1', [], { answer_timeout: ANSWER_TIMEOUT_S } as object)
}
