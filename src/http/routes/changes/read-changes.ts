import type { Reader, Reads } from '../../../../core/postgres/replicas/reads'
import { findVersionBefore } from '../../../../drizzle/queries/changes/find-version-before'
import { type ChangeFilter, listChanges } from '../../../../drizzle/queries/changes/list-changes'
import type { DatasetVersion } from '../../../parcels/dataset-version'

/** A page of the changes after `after`, and the version up to which the log was read. A replica is read only if it has later changes. */
export const readChanges = (
  { reads, datasetVersion }: { reads: Reads; datasetVersion: DatasetVersion },
  reader: Reader,
  { after, limit, filter }: { after: number; limit: number; filter: ChangeFilter },
) =>
  reads.run({ ...reader, atLeast: () => Math.max(after + 1, reader.atLeast?.() ?? 0) }, async (db, version) => {
    // Read in this order: every change up to the watermark is visible to later statements.
    const watermark = version ?? (await datasetVersion.read())
    return { watermark, ...(await listChanges(db, { after, upTo: watermark, limit }, filter)) }
  })

/** A version such that all changes since `moment` have higher versions. */
export const findStart = (reads: Reads, reader: Reader, moment: string): Promise<number> =>
  reads.run(reader, async (db, version) => {
    const found = await findVersionBefore(db, moment)
    // On a replica, the sequence of versions is ahead of the log.
    return version === null ? found : Math.min(found, version)
  })
