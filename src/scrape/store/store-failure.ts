import type { Sql } from '../../../core/postgres/database'
import { addVanishedFinding } from '../../../drizzle/queries/findings/vanished-findings'
import { type FailedAttempt, failJob } from '../../../drizzle/queries/jobs/run/fail-job'
import { parcelVanished } from '../review/rules/parcel-vanished'

/** Ends an attempt as failed. If the portal does not know the parcel although its source lists it, the parcel gets a finding. */
export const storeFailure = async (
  sql: Sql,
  parcel: { source: string; sourceParcelId: string },
  failed: FailedAttempt,
): Promise<void> =>
  sql.begin(async (tx) => {
    const isCurrent = await failJob(tx, failed)
    // A redirect to a moved portal says nothing about the parcel.
    const isVanished = failed.code === 'not_found' && failed.failureClass !== 'redirected'
    if (isCurrent && isVanished) await addVanishedFinding(tx, parcel, parcelVanished)
  })
