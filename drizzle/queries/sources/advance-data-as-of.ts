import type { Transaction } from '../../../core/postgres/database'

/** Stores how recent a source's data is: a year or an ISO date. It never moves back. */
export const advanceDataAsOf = async (tx: Transaction, source: string, dataAsOf: string): Promise<void> => {
  await tx`
    update sources set last_known_data_as_of = ${dataAsOf}
    where source = ${source} and (last_known_data_as_of is null or last_known_data_as_of < ${dataAsOf} collate "C")`
}
