import type { Transaction } from '../../core/postgres/database'
import { countChanges } from '../../drizzle/queries/coverage/count-changes'

/** How many versions of the change log one transaction counts. */
const CHANGES_AT_ONCE = 100_000

/** Adds the changes since the last call to the tallies by source and day. Ends early when `isStopped`. */
export const countNewChanges = async (
  begin: (step: (tx: Transaction) => Promise<boolean>) => Promise<boolean>,
  isStopped: () => boolean,
): Promise<void> => {
  while (!isStopped() && (await begin((tx) => countChanges(tx, CHANGES_AT_ONCE))));
}
