import type { Db } from '../../../../core/postgres/database'
import type { Reader, Reads } from '../../../../core/postgres/replicas/reads'
import { findLastVersion } from '../../../../drizzle/queries/changes/find-last-version'
import { findVersionBefore } from '../../../../drizzle/queries/changes/find-version-before'
import { type ChangeFilter, listChanges } from '../../../../drizzle/queries/changes/list-changes'
import type { DatasetVersion } from '../../../parcels/dataset-version'
import { HttpError } from '../../convention/errors'

/**
 * A page of the changes after `after`, and the version up to which the log was read. A replica is read only if it has later changes.
 *
 * @throws HttpError 400 if there has been no such version
 */
export const readChanges = (
  { reads, datasetVersion }: { reads: Reads; datasetVersion: DatasetVersion },
  reader: Reader,
  { after, limit, filter }: { after: number; limit: number; filter: ChangeFilter },
) =>
  reads.run({ ...reader, atLeast: () => Math.max(after + 1, reader.atLeast?.() ?? 0) }, async (db, version) => {
    // Read in this order: every change up to the watermark is visible to later statements.
    const watermark = version ?? (await datasetVersion.read())
    if (after > watermark) await refuseUnknownVersion(db, after)
    return { watermark, ...(await listChanges(db, { after, upTo: watermark, limit }, filter)) }
  })

/**
 * Without this, a client of a restored database would wait at its version, and never read the changes up to it.
 *
 * @throws HttpError 400
 */
const refuseUnknownVersion = async (db: Db, after: number): Promise<void> => {
  const last = await findLastVersion(db)
  if (after <= last) return
  throw new HttpError(
    400,
    `after must be at most ${last}, the newest version. If this service returned a higher version before, its database has been restored from a backup: request the parcels again, and follow the changes from their X-Dataset-Version`,
  )
}

/** A version such that all changes since `moment` have higher versions. */
export const findStart = (reads: Reads, reader: Reader, moment: string): Promise<number> =>
  reads.run(reader, async (db, version) => {
    const found = await findVersionBefore(db, moment)
    // On a replica, the sequence of versions is ahead of the log.
    return version === null ? found : Math.min(found, version)
  })
