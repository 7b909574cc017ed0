import { statfs } from 'node:fs/promises'
import type { Measurement } from '../../drizzle/queries/alerts/measure-health'

/** A folder of this process, by the variable that names it. */
export interface DataFolder {
  name: string
  path: string
}

/** How much of each folder's disk is used, in percent, as `df` counts it. Folders that do not exist yet are left out. */
export const measureDisks = async (folders: readonly DataFolder[]): Promise<Measurement[]> => {
  const measured = await Promise.all(
    folders.map(async ({ name, path }): Promise<Measurement[]> => {
      const disk = await statfs(path).catch(() => null)
      if (disk === null) return []
      const used = disk.blocks - disk.bfree
      return [{ subject: name, about: `${name} (${path})`, value: (100 * used) / (used + disk.bavail) }]
    }),
  )
  return measured.flat()
}
