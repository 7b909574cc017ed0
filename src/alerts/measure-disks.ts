import { statfs } from 'node:fs/promises'
import type { Measurement } from '../../drizzle/queries/alerts/measure-health'

/** A folder of this process, by the variable that names it. */
export interface DataFolder {
  name: string
  path: string
}

/** How much of the disk of each folder is used, in percent, as `df` counts it. A folder that does not exist yet is left out. */
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
