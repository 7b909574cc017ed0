import type { Db } from '../../../core/postgres/database'

/** A smaller share of changed parcels does not show in the coverage, and counting reads all parcels of the source. */
const LEAST_SHARE = 0.01

/** Whether to count a source again soon, because `changed` of its parcels have changed since it was counted. */
export const isWorthCounting = async (db: Db, source: string, changed: number): Promise<boolean> => {
  if (changed === 0) return false
  const [counted] = await db<{ isEnough: boolean }[]>`
    select ${changed}::float8 >= ${LEAST_SHARE}::float8 * (parcels + retired) as "isEnough" from source_coverage where source = ${source}`
  return counted?.isEnough ?? true
}
