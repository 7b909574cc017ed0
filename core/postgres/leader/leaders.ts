import type { Db, Transaction } from '../database'
import { limitTransaction } from '../limit-transaction'

/** Identifies the lead of one owner for one term. */
export interface LeadName {
  duty: string
  owner: string
  /** A bigint as text: it is only compared. */
  term: string
}

/**
 * Takes a duty that nobody has, or whose lease has expired, and raises the term. Null: another process has it.
 *
 * If the server's clock was set back, a lease may end later than any new lease could. Such a lease counts as expired.
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

/** Extends the lease to `leaseMs` from now. False: it has expired, or another process has the duty. */
export const renewLead = async (
  db: Db,
  { duty, owner, term, leaseMs }: LeadName & { leaseMs: number },
): Promise<boolean> => {
  const rows = await db`
    update leaders set expires_at = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where duty = ${duty} and owner = ${owner} and term = ${term} and expires_at > clock_timestamp() returning duty`
  return rows.length > 0
}

/** Gives up the duty, so that another process can take it. */
export const giveUpLead = async (db: Db, { duty, owner, term }: LeadName): Promise<void> => {
  await db`
    update leaders set expires_at = clock_timestamp() where duty = ${duty} and owner = ${owner} and term = ${term}`
}

/**
 * Whether the lead is the current one. Run it as the first statement of a transaction: nobody else can take the duty until the
 * transaction ends, within the limits (`limitTransaction`).
 */
export const lockLead = async (
  tx: Transaction,
  { duty, owner, term, idleMs, transactionMs }: LeadName & { idleMs: number; transactionMs: number },
): Promise<boolean> => {
  const rows = await tx`
    select ${limitTransaction(tx, { idleMs, transactionMs })} from leaders
    where duty = ${duty} and owner = ${owner} and term = ${term} and expires_at > clock_timestamp() for key share`
  return rows.length > 0
}
