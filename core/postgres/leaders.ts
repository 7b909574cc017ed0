import type { Db, Transaction } from './database'

/** One lead of a duty: who has it, and the term. */
export interface LeadName {
  duty: string
  owner: string
  /** Text: it is compared, never counted with. */
  term: string
}

/**
 * Takes a duty that nobody has, or whose leader let its lease run out, and raises the term. Null: another process has it.
 *
 * A lease that ends later than any could was written before the server's clock was set back: it counts as run out.
 */
export const takeLead = async (
  db: Db,
  { duty, owner, leaseMs }: { duty: string; owner: string; leaseMs: number },
): Promise<string | null> => {
  const lease = db`${leaseMs} * interval '1 ms'`
  const [row] = await db<{ term: string }[]>`
    with taken as (
      update leaders set owner = ${owner}, term = term + 1, expires_at = clock_timestamp() + ${lease}
      where duty = ${duty} and (
        owner = ${owner} or expires_at <= clock_timestamp() or expires_at > clock_timestamp() + 2 * ${lease}
      )
      returning term
    ), first as (
      insert into leaders (duty, owner, term, expires_at)
      select ${duty}, ${owner}, 1, clock_timestamp() + ${lease} where not exists (select from leaders where duty = ${duty})
      on conflict do nothing returning term
    )
    select term::text as term from taken union all select term::text from first`
  return row?.term ?? null
}

/** Makes the lease last for `leaseMs` from now. False: it has run out, or another process has the duty. */
export const renewLead = async (
  db: Db,
  { duty, owner, term, leaseMs }: LeadName & { leaseMs: number },
): Promise<boolean> => {
  const rows = await db`
    update leaders set expires_at = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where duty = ${duty} and owner = ${owner} and term = ${term} and expires_at > clock_timestamp() returning duty`
  return rows.length > 0
}

/** Gives the duty up: the next process that asks gets it. */
export const giveUpLead = async (db: Db, { duty, owner, term }: LeadName): Promise<void> => {
  await db`
    update leaders set expires_at = clock_timestamp() where duty = ${duty} and owner = ${owner} and term = ${term}`
}

/**
 * Whether the lead is the current one. As the first statement of a transaction it keeps the duty from being taken until the
 * transaction ends, so that nothing of it is written under another's lead. The server ends the transaction after `idleMs` without a
 * statement, and after `transactionMs` in any case, so that the next leader does not wait longer. Both are needed: a client that freezes
 * between the messages of one statement (Parse and Bind) is not idle to the server, and no statement timeout ends it either.
 */
export const lockLead = async (
  tx: Transaction,
  { duty, owner, term, idleMs, transactionMs }: LeadName & { idleMs: number; transactionMs: number },
): Promise<boolean> => {
  const rows = await tx`
    select set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true),
      set_config('transaction_timeout', ${String(transactionMs)}, true) from leaders
    where duty = ${duty} and owner = ${owner} and term = ${term} and expires_at > clock_timestamp() for key share`
  return rows.length > 0
}

/** Whether some process has the duty, as a condition. */
export const hasLeader = (db: Db, duty: string) =>
  db`exists (select from leaders where duty = ${duty} and expires_at > clock_timestamp())`
