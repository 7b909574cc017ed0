import type { Sql, Transaction } from '../../../core/postgres/database'
import {
  addVanishedFinding,
  lockVanished,
  withdrawVanishedFindings,
} from '../../../drizzle/queries/findings/vanished-findings'
import { type FailedAttempt, failJob } from '../../../drizzle/queries/jobs/run/fail-job'
import { isBelieved } from '../../../drizzle/queries/sources/source-runs'
import { parcelVanished } from '../review/rules/parcel-vanished'

interface FailedParcel {
  source: string
  sourceParcelId: string
}

/** Ends an attempt as failed. If the portal does not know the parcel although its source lists it, the parcel may get a finding. */
export const storeFailure = async (sql: Sql, parcel: FailedParcel, failed: FailedAttempt): Promise<void> =>
  sql.begin(async (tx) => {
    const isCurrent = await failJob(tx, failed)
    // A redirect to a moved portal says nothing about the parcel.
    const isUnknown = failed.code === 'not_found' && failed.failureClass !== 'redirected'
    if (isCurrent && isUnknown) await judgeUnknown(tx, parcel)
  })

/**
 * A portal that knows nearly none of its parcels has moved or lost its search. Then no parcel has vanished, and the findings of the scrapes
 * before this one are withdrawn. The source has the problem instead (`noteSourceProblems`).
 */
const judgeUnknown = async (tx: Transaction, parcel: FailedParcel): Promise<void> => {
  await lockVanished(tx, parcel.source)
  if (await isBelieved(tx, parcel.source)) await addVanishedFinding(tx, parcel, parcelVanished)
  else await withdrawVanishedFindings(tx, parcel.source, parcelVanished.rule)
}
